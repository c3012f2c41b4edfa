#!/usr/bin/env bash
# Makes an environment DIR with docspec's base, LangChain, LlamaIndex and Haystack, for tests/integrations:
# integrations/make_frameworks_env.sh DIR
set -euo pipefail
python3 -m venv "$1"
# Without constraints.txt: the frameworks ask for versions of their own.
"$1/bin/pip" install -q "$(dirname "$0")/.." langchain-core==1.8.3 llama-index-core==0.14.25 haystack-ai==3.4.1
