#!/usr/bin/env bash
# Adds what vLLM's `suffix` method needs to an environment DIR that make_env.sh made, to measure beside docspec:
#   integrations/vllm/add_suffix.sh DIR
# arctic-inference asks for torch 2.7.0 and CUDA to be built, and patches vLLM 0.10.1 where it is installed whole. Only its
# suffix tree is used by vLLM 0.32: that part is compiled by itself and put beside vLLM, without the package's entry points.
set -euo pipefail
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
python=$1/bin/python
site=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
include=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
"$python" -m pip install -q --no-deps --target "$here/build" nanobind==2.9.2
"$python" -m pip download -q --no-deps --no-build-isolation --no-binary arctic-inference arctic-inference==0.1.1 -d "$here"
tar -xzf "$here"/arctic_inference-0.1.1.tar.gz -C "$here"
from=$here/arctic_inference-0.1.1
nanobind=$here/build/nanobind
mkdir -p "$site/arctic_inference"
cp "$from/arctic_inference/__init__.py" "$from/LICENSE" "$site/arctic_inference"
cp -r "$from/arctic_inference/suffix_decoding" "$site/arctic_inference"
g++ -O3 -shared -fPIC -std=c++20 -fvisibility=hidden -I"$include" -I"$nanobind/include" -I"$nanobind/ext/robin_map/include" \
  "$from"/csrc/suffix_decoding/*.cc "$nanobind/src/nb_combined.cpp" -o "$site/arctic_inference/suffix_decoding/_C.so"
"$python" -c 'from arctic_inference.suffix_decoding import SuffixDecodingCache; SuffixDecodingCache(24, 10); print("suffix decoding")'
