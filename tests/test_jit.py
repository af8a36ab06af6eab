import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import recrawl
from recrawl._jit import inner, jit

CODE = "import recrawl; print(recrawl.crawl_value(recrawl.Pages(1.0, 0.0, 0.0, 1.0), 0.5).item())"


def value_of(package: Path) -> float:
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | {"PYTHONPATH": str(package.parent)}
    done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def test_a_changed_kernel_is_not_run_from_an_old_cache(tmp_path):
    package = tmp_path / "recrawl"
    shutil.copytree(Path(recrawl.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    before = value_of(package)
    kernel = package / "model" / "nosignal.py"  # called from functions.py, by way of two more files
    kernel.write_text(kernel.read_text().replace("return math.exp(-x) * x * x * s", "return 7.0"))
    assert 0.0 < before < 1.0
    assert value_of(package) == 7.0


@inner
def _doubled(x):
    return 2.0 * x


@jit
def _doubled_twice(x):
    return _doubled(_doubled(x))


def test_an_inner_kernel_is_refused_to_python_before_and_after_compiled_code_used_it():
    with pytest.raises(TypeError, match="_doubled is called from compiled code only"):
        _doubled(1.0)
    assert _doubled_twice(1.0) == 4.0
    with pytest.raises(TypeError, match="_doubled is called from compiled code only"):
        _doubled(1.0)
