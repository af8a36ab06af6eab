import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import recrawl
from recrawl._jit import inlined, inner, jit, opaque, pointer_to, wrapped

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


def test_a_changed_kernel_in_a_subfolder_is_not_run_from_an_old_cache(tmp_path):
    package = tmp_path / "recrawl"
    shutil.copytree(Path(recrawl.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    deeper = package / "model" / "deeper" / "still"
    deeper.mkdir(parents=True)
    for folder in (deeper.parent, deeper):
        (folder / "__init__.py").write_text("")
    kernel = deeper / "kernel.py"
    text = "from recrawl._jit import jit\n\n@jit\ndef of(x):\n    return 2.0 * x\n"
    kernel.write_text(text)
    nosignal = package / "model" / "nosignal.py"  # now calls a kernel two folders below
    changed = nosignal.read_text().replace("return math.exp(-x) * x * x * s", "return of(x)")
    nosignal.write_text("from recrawl.model.deeper.still.kernel import of\n" + changed)
    assert value_of(package) == 1.0
    kernel.write_text(text.replace("2.0 * x", "9.0"))
    assert value_of(package) == 9.0


@inner
def _doubled(x):
    return 2.0 * x


@inlined
def _doubled_in_place(x):
    return 2.0 * _doubled(x) / 2.0


@jit
def _doubled_twice(x):
    return _doubled(_doubled_in_place(x))


@pytest.mark.parametrize("kernel", [_doubled, _doubled_in_place])
def test_an_inner_kernel_is_refused_to_python_before_and_after_compiled_code_used_it(kernel):
    with pytest.raises(TypeError, match=f"{kernel.__name__} is called from compiled code only"):
        kernel(1.0)
    assert _doubled_twice(1.0) == 4.0
    with pytest.raises(TypeError, match=f"{kernel.__name__} is called from compiled code only"):
        kernel(1.0)


def _add_to_first(arrays, k, x):
    values, counts = arrays[0]
    values[k] += x
    counts[0, 1] += 1
    return values.sum()


_ARRAYS = (np.zeros(3), np.zeros((1, 2), dtype=np.int32))
_added_by_address = opaque(_add_to_first, "tif", like=_ARRAYS)


@jit
def _add_often(arrays, x):
    total = 0.0
    for _ in range(1000):
        for k in range(3):
            total = _added_by_address(pointer_to(arrays), k, x)
    return total


def test_a_tuple_of_arrays_is_passed_by_its_address_and_not_copied():
    assert _add_often(_ARRAYS, 0.5) == 1500.0
    assert _ARRAYS[0].tolist() == [500.0] * 3
    assert _ARRAYS[1].tolist() == [[0, 3000]]


@jit
def _multiplied(a, b):
    return wrapped(a * b)


@pytest.mark.parametrize("a", [0, 1, -1, 3037000500, 0x7FFFFFFFFFFFFFFF, -0x8000000000000000, 123456789012345678])
@pytest.mark.parametrize("b", [1, -1, 0x9E3779B97F4A7C1, 3037000500])
def test_numbers_wrap_for_python_as_for_compiled_code(a, b):
    assert _multiplied(a, b) == _multiplied.py_func(a, b)
