#!/usr/bin/env bash
# Makes an environment DIR with the clients that tests/serve points at the gateway: tests/serve/make_clients_env.sh DIR
set -euo pipefail
python3 -m venv "$1"
"$1/bin/pip" install -q mineru-vl-utils==2.0.7 'docling-slim[service-client,models-remote]==2.143.0' \
  olmocr==0.4.27 huggingface_hub langchain-core requests
"$1/bin/pip" install -q --no-deps open-webui==0.12.4  # its loader's class is used as its file has it
