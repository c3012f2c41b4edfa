# vLLM with docspec's drafts, for a GPU: docker build -f docker/vllm.Dockerfile -t docspec-vllm .
# docker run --gpus all --shm-size 2g -p 127.0.0.1:8000:8000 docspec-vllm --model rednote-hilab/dots.ocr
FROM vllm/vllm-openai:v0.32.0
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY docspec docspec
# No constraints: docspec takes the packages that vLLM has, and changes none.
RUN python3 -m pip install --no-cache-dir . \
 && python3 -c "import docspec.vllm.runner"
ENTRYPOINT ["python3", "-m", "vllm.entrypoints.openai.api_server", "--speculative-config", \
  "{\"method\": \"custom_class\", \"model\": \"docspec.vllm.Proposer\", \"num_speculative_tokens\": 47}"]
CMD ["--model", "rednote-hilab/dots.ocr"]
