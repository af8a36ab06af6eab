"""The benchmark of the service, on few pages."""

import math

from recrawl.bench import service


def test_all_that_is_promised_is_measured_with_the_real_server():
    rows = {row["what"]: row for row in service.run(2_000)}
    wanted = [row for name, row in rows.items() if not math.isnan(row["must"]) and "under way" not in name]
    assert all(row["measured"] > 0.0 for row in wanted)
    assert rows["signals, 100 a request: server's cpu us each"]["must"] == 6.0
    assert rows["lease + complete of 100: pairs a second"]["must"] == 150
