# make help | make corpus N=5 TYPE=argumentative | make test
PYTHON ?= python3
VENV   ?= .venv
PY     := $(VENV)/bin/python
STAMP  := $(VENV)/.installed

NAME     ?=
KIND     ?=
MIRROR   ?=
CORPUS   ?=
FORMAT   ?=
N        ?= 5
TYPE     ?= all
SPEAKERS ?=
DURATION ?=
SPLIT    ?=
SEED     ?=
OUT      ?=
WORKERS  ?=
ONLY     ?=
ARGS     ?=

# Each variable reaches the program through the environment, so that a value may hold spaces, quotes and `=`.
export OUT NAME MIRROR CORPUS

PROCESSES := 2

.PHONY: help corpus pairs estimate scale splits stress test bench report audit score prove card annotate view export listen models musan noise-preview validate docs lint clean
.DEFAULT_GOAL := help

help:  ## show what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16
	@echo
	@echo "corpus and estimate take N TYPE SPEAKERS DURATION SPLIT SEED OUT WORKERS ONLY, and ARGS for any other setting:"
	@echo "  make corpus N=5 TYPE=argumentative SPEAKERS=2,3 SPLIT=test OUT='my corpus' ARGS='noise=none script=template'"

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v <= (3, 12) else \
	  f"$(PYTHON) is Python {v[0]}.{v[1]}; 3.11 or 3.12 is needed: make PYTHON=python3.12 ...")'
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[embedded,test]'
	@touch $@

REQUEST = n=$(N) $(if $(filter file,$(origin TYPE)),,type=$(TYPE)) $(if $(SPEAKERS),speakers=$(SPEAKERS)) \
	  $(if $(DURATION),duration=$(DURATION)) $(if $(SPLIT),split=$(SPLIT)) $(if $(SEED),seed=$(SEED)) $(if $(OUT),"out=$$OUT") \
	  $(if $(WORKERS),workers=$(WORKERS)) $(if $(ONLY),only=$(ONLY)) $(ARGS)

corpus: $(STAMP)  ## make a corpus: N conversations of TYPE
	@$(PY) -m pipeline $(REQUEST)

pairs: $(STAMP)  ## make N counterfactual pairs: two conversations each, the same up to a moment (KIND: claim, pause or words)
	@$(PY) -m pipeline experiment=pairs $(REQUEST) $(if $(KIND),pairs.kind=$(KIND))

estimate: $(STAMP)  ## say what that corpus would take in tokens, time and audio, and start nothing
	@$(PY) -m pipeline.estimate $(REQUEST)

scale: $(STAMP)  ## say what many hours would take on many machines: ARGS='--hours 10000 --sweep 8,32,128', and start nothing
	@$(PY) -m pipeline.scale $(ARGS)

splits: $(STAMP)  ## make the whole dev/test design: 240 conversations from the shipped scripts
	@$(PY) -m pipeline experiment=splits $(if $(SEED),seed=$(SEED)) $(if $(OUT),"out=$$OUT") \
	  $(if $(WORKERS),workers=$(WORKERS)) $(if $(ONLY),only=$(ONLY)) $(ARGS)

stress: $(STAMP)  ## make a stress corpus: NAME=dense_overlap N=20; without NAME, list them
	@$(PY) -m pipeline.stress "$$NAME" $(REQUEST)

musan: $(STAMP)  ## fetch and unpack MUSAN (24 GB on the way, 13 GB after) into OUT or the cache; MIRROR: an address to ask first
	@$(PY) -m pipeline.sound.musan $(if $(OUT),--out "$$OUT") $(if $(MIRROR),--mirror "$$MIRROR")

noise-preview: $(STAMP)  ## write a clip of each scene and effect, and a sheet of spectrograms, into OUT
	@$(PY) -m pipeline.sound.preview "$${OUT:-noise-preview}"

listen: $(STAMP)  ## write a page that plays each scene, effect, voice, backchannel and laugh, into OUT
	@$(PY) -m pipeline.listen "$${OUT:-listen}"

validate: $(STAMP)  ## check the corpus in CORPUS (or OUT)
	@$(PY) -m pipeline.validate "$${CORPUS:-$$OUT}" $(ARGS)

report: $(STAMP)  ## compare the corpus in CORPUS (or OUT) with its targets, as text and as plots
	@$(PY) -m pipeline.report "$${CORPUS:-$$OUT}" $(ARGS)

audit: $(STAMP)  ## say whether a single feature would solve the tasks of the corpus in CORPUS (or OUT)
	@$(PY) -m pipeline.audit "$${CORPUS:-$$OUT}" $(ARGS)

export: $(STAMP)  ## write CORPUS in another tool's FORMAT into OUT (default: CORPUS-FORMAT); without FORMAT, list the formats
	@$(PY) -m pipeline.export $(if $(FORMAT),"$$CORPUS" "$(FORMAT)" $(if $(OUT),"$$OUT"),--list) $(ARGS)

score: $(STAMP)  ## score detectors on the corpus in CORPUS, and ask whether a single feature of its sound would do
	@$(PY) -m pipeline.score "$$CORPUS" $(ARGS)

prove: $(STAMP)  ## put the corpus in CORPUS to its gates: one page, one verdict
	@$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[embedded,test,prove]'
	@$(PY) -m pipeline.prove "$${CORPUS:-$$OUT}" $(ARGS)

card: $(STAMP)  ## write the data card of the corpus in CORPUS again; ARGS='--licence CC-BY-4.0 --creator NAME' for a publication
	@$(PY) -m pipeline.card "$${CORPUS:-$$OUT}" $(ARGS)

annotate: $(STAMP)  ## write clips and a form for human annotators of the corpus in CORPUS
	@$(PY) -m pipeline.annotate "$${CORPUS:-$$OUT}" $(ARGS)

view: $(STAMP)  ## write a page to look at and listen to the corpus in CORPUS (ARGS=--serve: and serve it to this machine)
	@$(PY) -m pipeline.view "$${CORPUS:-$$OUT}" $(if $(CORPUS),$(if $(OUT),"$$OUT")) $(ARGS)

models: $(STAMP)  ## fetch all models and voices into the cache
	@$(PY) -m pipeline.models --all

test: $(STAMP)  ## run the tests, in two processes (PROCESSES=0: in this one, as a debugger wants it)
	@$(PY) -m pytest --numprocesses $(PROCESSES) --dist loadfile $(ARGS)

bench: $(STAMP)  ## measure each part beside bare synthesis, as ratios within one run: ARGS='--only stages,renoise' for some
	@$(PY) -m pipeline.bench $(ARGS)

docs: $(STAMP)  ## make again what documentation and editors take from the code: schemas, reference, pictures
	@$(PY) -m pipeline.schema --editor conf/schema
	@$(PY) -m pipeline.schema --reference > docs/configuration.md
	@$(PY) -m pipeline.taxonomy docs/events/timeline.json docs/events

lint: $(STAMP)  ## format check, lint and types
	@$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[embedded,dev]'
	@$(PY) -m ruff format --check . && $(PY) -m ruff check . && $(PY) -m mypy

clean:  ## remove the virtual environment; corpora and the model cache stay
	rm -rf $(VENV)
