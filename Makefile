# Builds, installs and checks the tools: `make help` lists the targets. An installation has one
# executable, a link to it for each tool, manual pages, completions and examples.
#
#   make install prefix=$HOME/.local       for one user
#   sudo make install                      for all, under /usr/local
#   make deb                               a package for Debian and Ubuntu
#   make dist                              a tar file for any Linux of this processor
#   make release                           all that is published, from the newest commit: see INSTALL.md
#
# DESTDIR is put before every path. BIN is a folder that has a built `credit`: then there is no build.

SHELL = /bin/sh
prefix = /usr/local
bindir = $(prefix)/bin
datadir = $(prefix)/share
mandir = $(datadir)/man
bashdir = $(datadir)/bash-completion/completions
fishdir = $(datadir)/fish/vendor_completions.d
zshdir = $(datadir)/zsh/site-functions
docdir = $(datadir)/doc/credit-tools

DESTDIR =
BIN = .build/release
INSTALL = install
# Where packages are made.
OUT = .build-packages
# The maintainer and the home page, which are in the packages. The defaults mark
# an unpublished build.
MAINTAINER ?= an unpublished build <root@localhost>
HOMEPAGE ?=
# Where releases are published, each in a folder vVERSION. Nothing else has the address.
RELEASES ?= https://example.org/credit-tools/releases/download
export MAINTAINER HOMEPAGE RELEASES

# The tools by their manual pages.
tools = `cd man && ls credit-*.1 | sed 's/\.1$$//'`

.PHONY: all build help install uninstall deb dist release clean \
  debug tools test fast transcripts examples schemas lint manual messages commits ci \
  reliability sanitizers fuzz browser benchmarks budgets figures \
  server server-transcripts server-versions server-benchmarks

all: build ## the same as build

build: ## the executable `credit` for make install, a release build
	@if test $(BIN) = .build/release && command -v swift >/dev/null; then \
	  swift build --configuration release --product credit; \
	elif ! test -x $(BIN)/credit; then \
	  echo 'There is no $(BIN)/credit: to build one takes Swift 6.2 or later (https://www.swift.org/install).' >&2; \
	  echo 'INSTALL.md has packages without it; BIN=DIR takes a built credit.' >&2; exit 1; fi

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-20s %s\n", $$1, $$2 }' Makefile

# A change of the sources.

debug: ## a debug build of all tools, in .build/debug
	swift build

tools: ## a release build of all tools, in .build/release
	swift build --configuration release

test: ## all unit tests and transcripts
	swift test

fast: ## the unit tests without processes, random histories and large data
	CREDIT_FAST=1 swift test

transcripts: ## what the tools print and write, on a debug build
	Tests/ContractTests/run

examples: tools ## the examples: profiles, scenarios, a month of a company
	prove examples/*/acceptance.sh examples/qa/*.sh examples/company/month.sh

schemas: debug ## whether `credit schema` describes all that the transcripts print and write
	sessions=$$(mktemp -d) && \
	  CREDIT_KEEP_SESSIONS=$$sessions Tests/ContractTests/run .build/debug && \
	  /usr/bin/python3 Tests/Schemas/check .build/debug $$sessions && rm -rf $$sessions

lint: ## the format of the sources
	swift format lint --strict --parallel --recursive Sources Tests Package.swift

manual: ## man and completions, made again from their templates and the tools' declarations
	swift run credit-manual

messages: ## Tests/TidyTests/messages.txt, the list of all messages
	CREDIT_WRITE_MESSAGES=1 swift test --filter MessageTests

commits: ## the messages of commits
	.ci/commits

ci: ## all checks, as CI runs them
	.ci/run

# What takes longer.

reliability: tools ## failing system calls, kills, full disks, damage, power cuts
	Tests/Reliability/run --quick

sanitizers: ## the unit tests with checks of memory and of threads
	Tests/Sanitizers/run

fuzz: ## foreign bytes, made by libFuzzer of the kept ones in Tests/Fuzz/corpus
	Tests/Fuzz/run

browser: debug ## the pages of credit-report in Chromium
	Tests/Browser/run .build/debug

benchmarks: tools ## the tools beside sqlite3 at the same work, in short
	Tests/Benchmarks/run --quick

budgets: tools ## instructions of a release build, against Tests/Benchmarks/budgets.txt
	Tests/Benchmarks/run --check-budgets

figures: ## the table of TESTING.md, from new runs of all parts
	Tests/Figures/run

# Stores on a PostgreSQL server; needs libpq-dev and PostgreSQL.

server: ## sessions, kills, cuts and a standby on a server of its own
	swift build --configuration release --traits Postgres --scratch-path .build-postgres
	Tests/Server/run --quick

server-transcripts: ## the transcripts on a server of their own
	swift build --traits Postgres --scratch-path .build-postgres
	Tests/Server/transcripts .build-postgres/debug

server-versions: ## the same on PostgreSQL 16 to 18, whose programs it fetches
	swift build --traits Postgres --scratch-path .build-postgres
	Tests/Server/versions Tests/Server/transcripts .build-postgres/debug

server-benchmarks: ## stores on a server beside pgbench
	swift build --configuration release --traits Postgres --scratch-path .build-postgres
	Tests/Benchmarks/server

# Installations and releases.

install: build ## the tools, manual pages, completions and examples below $(prefix)
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(mandir)/man1 $(DESTDIR)$(mandir)/man5 \
	  $(DESTDIR)$(mandir)/man7 $(DESTDIR)$(bashdir) $(DESTDIR)$(fishdir) $(DESTDIR)$(zshdir)
	$(INSTALL) -m 755 $(BIN)/credit $(DESTDIR)$(bindir)/credit
	for tool in $(tools); do ln -sf credit $(DESTDIR)$(bindir)/$$tool || exit; done
	for section in 1 5 7; do \
	  $(INSTALL) -m 644 man/*.$$section $(DESTDIR)$(mandir)/man$$section || exit; done
	$(INSTALL) -m 644 completions/credit-tools.bash $(DESTDIR)$(bashdir)/credit
	$(INSTALL) -m 644 completions/credit-tools.fish $(DESTDIR)$(fishdir)/credit.fish
	for tool in $(tools); do \
	  ln -sf credit $(DESTDIR)$(bashdir)/$$tool && \
	  ln -sf credit.fish $(DESTDIR)$(fishdir)/$$tool.fish || exit; done
	$(INSTALL) -m 644 completions/_credit-tools $(DESTDIR)$(zshdir)/_credit-tools
	$(INSTALL) -d $(DESTDIR)$(docdir)
	$(INSTALL) -m 644 README.md INSTALL.md ARCHITECTURE.md CONTRIBUTING.md TESTING.md SECURITY.md \
	  CHANGELOG.md LICENSE $(DESTDIR)$(docdir)
	find examples -type d -exec $(INSTALL) -d $(DESTDIR)$(docdir)/{} \;
	find examples -type f -exec $(INSTALL) -m 644 {} $(DESTDIR)$(docdir)/{} \;
	find examples -type f -perm -100 -exec chmod 755 $(DESTDIR)$(docdir)/{} \;

uninstall: ## removes them
	for tool in credit $(tools); do \
	  rm -f $(DESTDIR)$(bindir)/$$tool $(DESTDIR)$(bashdir)/$$tool \
	    $(DESTDIR)$(fishdir)/$$tool.fish; done
	for page in `cd man && ls`; do rm -f $(DESTDIR)$(mandir)/man?/$$page; done
	rm -f $(DESTDIR)$(zshdir)/_credit-tools
	rm -rf $(DESTDIR)$(docdir)

deb: build ## a package for Debian and Ubuntu
	Sources/Packaging/deb $(BIN) $(OUT)

dist: build ## a tar file for any Linux of this processor
	Sources/Packaging/dist $(BIN) $(OUT)

# From the newest commit, not from the work tree. KEY=FILE signs it with minisign.
release: ## all that is published, from the newest commit: INSTALL.md
	Sources/Packaging/release $(OUT)/release

clean: ## removes the packages that were made
	rm -rf $(OUT)
