# Installs the tools: one executable, a link to it for each tool, manual pages, completions, examples.
# Nothing else needs make.
#
#   make install prefix=$HOME/.local       for one user
#   sudo make install                      for all, under /usr/local
#   make deb                               a package for Debian and Ubuntu
#   make dist                              a tar file for any Linux of this processor
#   make release                           all that is published, from the newest commit: see INSTALL.md
#
# DESTDIR is put before every path. BIN is a folder that has a built `credit`: then nothing is built.

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
# Who answers for the packages, and where they are published: both are in them. Unless said, they
# are nobody's, and nowhere.
MAINTAINER ?= an unpublished build <root@localhost>
HOMEPAGE ?=
export MAINTAINER HOMEPAGE

# The tools by their manual pages.
tools = `cd man && ls credit-*.1 | sed 's/\.1$$//'`

.PHONY: all build install uninstall deb dist release clean

all: build

build:
	@if test $(BIN) = .build/release; then swift build --configuration release --product credit; fi

install: build
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
	$(INSTALL) -m 644 README.md LICENSE CHANGELOG.md $(DESTDIR)$(docdir)
	find examples -type d -exec $(INSTALL) -d $(DESTDIR)$(docdir)/{} \;
	find examples -type f -exec $(INSTALL) -m 644 {} $(DESTDIR)$(docdir)/{} \;
	find examples -type f -perm -100 -exec chmod 755 $(DESTDIR)$(docdir)/{} \;

uninstall:
	for tool in credit $(tools); do \
	  rm -f $(DESTDIR)$(bindir)/$$tool $(DESTDIR)$(bashdir)/$$tool \
	    $(DESTDIR)$(fishdir)/$$tool.fish; done
	for page in `cd man && ls`; do rm -f $(DESTDIR)$(mandir)/man?/$$page; done
	rm -f $(DESTDIR)$(zshdir)/_credit-tools
	rm -rf $(DESTDIR)$(docdir)

deb: build
	Sources/Packaging/deb $(BIN) $(OUT)

dist: build
	Sources/Packaging/dist $(BIN) $(OUT)

# From the newest commit, not from the work tree. KEY=FILE signs it with minisign.
release:
	Sources/Packaging/release $(OUT)/release

clean:
	rm -rf $(OUT)
