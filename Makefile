# `make demo` is the first thing to try, `make test` runs every test.

# A cargo that rustup installed is found also where the shell does not know it yet.
CARGO ?= $(shell command -v cargo || echo "$$HOME/.cargo/bin/cargo")
ROCKSALT = $(CARGO) run --quiet --bin rocksalt --

.PHONY: demo test flights setup

## Load a sample of flights into a salted table and query it, each query with its plan.
demo: setup
	$(CARGO) build --bin rocksalt
	@scripts/demo $(ROCKSALT)

## Run every test.
test: setup
	INSTA_UPDATE=no $(CARGO) test

## Load nycflights13 from the folder DIR and compare what it answers with what DuckDB answered.
flights: setup
	@test -n "$(DIR)" || { echo "usage: make flights DIR=folder-of-nycflights13" >&2; exit 2; }
	$(CARGO) build --bin rocksalt
	@scripts/flights "$(DIR)" $(ROCKSALT)

## Install what building needs and is missing, or say what it is.
setup:
	@scripts/setup
