# The habits of the project; `make` alone lists them. Nothing needs to be installed by
# hand but make, git and Python: each habit sets up what it needs, once.

PYTHON ?=
VENV ?= .venv
PORT ?= 8000
# As it was typed: a dollar sign in a sentence is not make's business.
override TEXT := $(value TEXT)
ARGS ?=

# Where a virtual environment keeps its programs: the one thing that Windows names
# differently. Everything here runs in the shell that comes with Git there.
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
RUN := $(BIN)/python
export PYTHON VENV BIN CHROMIUM TEXT
SITE := _build/html
# What the translator of real sentences is trained with; the phrase book is read twice.
RECIPE := lib/shipped/tatoeba-en-es
OWN := lib/corpora
OWN_BY := sentences of this book, CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/).

# One thread for each process: the tests keep the cores busy by running side by side,
# and the last digits of a sum depend on how it is divided among threads.
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export TOKENIZERS_PARALLELISM := false
export PYTHONUNBUFFERED := 1
export PYTHONUTF8 := 1
# What is compiled is kept: some eighty processes of the tests import lib.
unexport PYTHONDONTWRITEBYTECODE
# A model that trains or translates is alone, and may use every core.
ALL_CORES := env -u OMP_NUM_THREADS -u MKL_NUM_THREADS -u OPENBLAS_NUM_THREADS

.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help setup newest lock book pdf slides test exhaustive portable colab course \
	translate train retrain bench notebooks address format lint serve clean distclean

help: ## list these habits
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | \
		sed -E 's/^([a-z-]+):.*## (.*)/\1|\2/' | \
		while IFS='|' read -r name what; do printf '  make %-11s %s\n' "$$name" "$$what"; done

setup: ## make .venv and install requirements.lock, once
	@sh book/tools/project/setup.sh

newest: setup ## put the newest versions that lib allows into .venv, to test with
	@$(RUN) -m pip install --upgrade --upgrade-strategy eager -e ".[chapters,export]"

lock: setup ## renew requirements.lock after a change of requirements.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-annotate \
		--custom-compile-command "make lock" --output-file requirements.lock requirements.txt
	@sed -i.old -E '/^(nvidia|cuda|triton)/d' requirements.lock && rm requirements.lock.old

book: setup ## build the site, warnings as errors
	@$(RUN) -m book.tools.site.build_site

pdf: book ## print the whole book into one file, _build/book.pdf
	@$(RUN) -m book.tools.site.pdf

slides: setup ## the slides of every lesson, in _build/slides
	@$(RUN) -m book.tools.course.slides $(ARGS)

test: setup ## what a change can break; one part: make test ARGS=tests/lib/test_layers.py
	@sh book/tools/project/test.sh $(ARGS)

exhaustive: setup ## the rest: every page, every chapter elsewhere, nbgrader, the PDF
	@sh book/tools/project/test.sh --exhaustive

portable: setup ## every chapter again as other processors calculate; some in ARGS
	@$(RUN) -m book.tools.notebooks.portable $(ARGS)

colab: setup ## every chapter alone in a folder, with the versions that Colab has
	@$(RUN) -m book.tools.notebooks.colab $(ARGS)

course: setup ## write the editions and the assignments into _course
	@sh book/tools/course/setup.sh
	@$(RUN) -m book.tools.course $(ARGS)

translate: setup ## translate: make translate TEXT="a sentence in English"
	@$(ALL_CORES) $(RUN) -m lib translate "$$TEXT"

train: setup ## train the translator that the book ships; more in ARGS
	@$(ALL_CORES) $(RUN) -m lib train $(ARGS)

retrain: setup ## train the shipped translator of real sentences again; more in ARGS
	@$(ALL_CORES) $(RUN) -m lib train --corpus tatoeba-en-es \
		--settings $(RECIPE)/settings.toml --watch $(RECIPE)/watched.txt \
		--also $(OWN)/phrase-book.tsv --also $(OWN)/phrase-book.tsv \
		--also $(OWN)/copies.tsv.gz --attribution "$(OWN_BY)" \
		--out runs/retrained --resume $(ARGS)

bench: setup ## measure training and decoding side by side; one part in ARGS
	@$(ALL_CORES) $(RUN) -m book.tools.bench $(ARGS)

notebooks: setup ## run every chapter again and store its outputs
	@$(RUN) -m book.tools.notebooks.notebooks $(ARGS)

address: setup ## carry the address in _config.yml to every file that names it
	@$(RUN) -m book.tools.project.carry_address $(ARGS)

format: setup ## lay out the code
	@$(RUN) -m ruff format .
	@$(RUN) -m ruff check --fix .

lint: setup ## layout, mistakes, types and imports, without running anything
	@$(RUN) -m ruff format --check .
	@$(RUN) -m ruff check .
	@$(RUN) -m mypy
	@$(BIN)/lint-imports --no-logo --cache-dir .cache/import-linter

serve: book ## read the site at http://localhost:8000 (PORT=8000)
	@echo "The book is at http://localhost:$(PORT) until you press Ctrl+C."
	@$(RUN) -m http.server $(PORT) --bind 127.0.0.1 --directory $(SITE)

clean: ## remove what make made, but for the environment
	@marks=$$(find _build -name gradebook.db 2>/dev/null); [ -z "$$marks" ] || { \
		echo "Nothing is removed: marks stand in $$marks. Move them out of _build." >&2; \
		exit 1; }
	@rm -rf _build .cache .pytest_cache .ruff_cache .mypy_cache .hypothesis
	@find . -path ./$(VENV) -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove the environment too; the next make installs it again
	@rm -rf $(VENV) $(VENV)-course
	@echo "$(VENV) is removed: the next make installs everything again."
