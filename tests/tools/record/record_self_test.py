"""Whether a recording says if a kernel of the self-test was seen, by the stand-in for CUDA."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import PROGRAM, environment
from _recorded import PATIENCE_S, SONDE, Recorded, check


def said(folder, *options, **settings):
    """What the recording says of the self-test, and its kernels."""
    driver_fault = settings.pop("driver_fault", "")
    path = Path(folder) / "run.sqlite"
    command = [SONDE, "record", "-f", "-t", "cuda,nvtx", "-o", str(path), *options, "--", str(PROGRAM), "plain"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                         env=environment(**settings) | {"SONDE_FAKE_DRIVER": driver_fault})
    lines = [line for line in run.stderr.splitlines() if "self-test" in line]
    profile = Recorded(path)
    check([text for text in profile.remarks() if "self-test" in text] == [line.split(": ", 1)[1].removeprefix("warning: ")
                                                                           for line in lines], run.stderr)
    own = profile.rows("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = mangledName "
                       "WHERE value = 'sonde_self_test'") or [(0,)]
    check(own == [(0,)], "the self-test's kernel is in the program's recording")
    return lines


def main():
    with tempfile.TemporaryDirectory() as folder:
        (line,) = said(folder)
        check("a test kernel was launched and recorded" in line and "warning" not in line, line)
        (line,) = said(folder, faults="no_kernels=1")
        check("warning" in line and "a test kernel was launched but not recorded" in line, line)
        (line,) = said(folder, version="future")
        check("a test kernel was launched but not recorded" in line, line)
        (line,) = said(folder, driver_fault="cuModuleLoadData:2")
        check("the test kernel could not be launched: cuModuleLoadData returned CUDA_ERROR_OUT_OF_MEMORY" in line, line)
        (line,) = said(folder, driver_fault="cuDeviceGet:77")
        check("cuDeviceGet returned error 77" in line, line)
        check(not said(folder, "--self-test=false"), "it was not to be done")
        check(not [line for line in said(folder, driver=False) if "warning" in line], "no driver is no fault")
    print("ok")


if __name__ == "__main__":
    main()
