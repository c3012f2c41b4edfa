#!/usr/bin/env bash
# Adds to an environment DIR that make_env.sh made what runs Model Runner V2 of vLLM 0.33 on a processor, to test with:
#   integrations/vllm/add_second_runner.sh DIR
# There is no vLLM 0.33 for processors yet. Its Python code comes from the wheel for GPUs, its kernels are those of 0.32 for
# processors. Both stand in DIR/second-runner, which tests put before all else; the environment itself stays as it is.
set -euo pipefail
[ ! -e "$1/second-runner/complete" ] || exit 0
folder=$1/second-runner
python=$1/bin/python
rm -rf "$folder"
mkdir -p "$folder/vllm-0.33.0+cpu.dist-info"
"$python" -m pip download -q --no-deps vllm==0.33.0 -d "$folder"
"$python" - "$folder" <<'PYTHON'
import sys, zipfile
from pathlib import Path
folder = Path(sys.argv[1])
(wheel,) = folder.glob("vllm-*.whl")
with zipfile.ZipFile(wheel) as packed:
    code = [name for name in packed.namelist() if name.startswith("vllm/") and name.endswith((".py", ".json", ".jinja"))]
    packed.extractall(folder, code)
wheel.unlink()
PYTHON
site=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
ln -s "$site"/vllm/*.so "$folder/vllm"
printf 'Metadata-Version: 2.1\nName: vllm\nVersion: 0.33.0+cpu\n' >"$folder/vllm-0.33.0+cpu.dist-info/METADATA"
touch "$folder/complete"
