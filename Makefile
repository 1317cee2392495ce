# Installs the tools: one executable, a link to it for each tool, manual pages, completions, examples.
# Nothing else needs make.
#
#   make install prefix=$HOME/.local       for one user
#   sudo make install                      for all, under /usr/local
#   make deb                               a package for Debian and Ubuntu
#   make dist                              a tar file for any Linux of this processor
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

# The tools by their manual pages.
tools = `cd man && ls credit-*.1 | sed 's/\.1$$//'`
version = `$(BIN)/credit --version | sed 's/.* //'`

.PHONY: all build install uninstall deb dist clean

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
	rm -rf $(OUT)/deb
	$(MAKE) install BIN=$(BIN) DESTDIR=$(OUT)/deb prefix=/usr zshdir=/usr/share/zsh/vendor-completions
	find $(OUT)/deb/usr/share/man -type f -exec gzip -9n {} \;
	mkdir $(OUT)/deb/DEBIAN
	{ echo "Package: credit-tools" && \
	  echo "Version: $(version)" && \
	  echo "Architecture: `dpkg --print-architecture`" && \
	  echo "Maintainer: the maintainers of credit-tools <root@localhost>" && \
	  echo "Section: utils" && \
	  echo "Priority: optional" && \
	  if ldd $(BIN)/credit 2>/dev/null | grep -q libpq; then echo "Depends: libpq5"; fi && \
	  echo "Suggests: openssl" && \
	  echo "Description: prepaid credits on the command line" && \
	  echo " Small commands that price what AI usage really cost, deduct it once, add what was" && \
	  echo " bought once, and show what happened. The books are plain files."; \
	} > $(OUT)/deb/DEBIAN/control
	dpkg-deb --root-owner-group --build $(OUT)/deb \
	  $(OUT)/credit-tools_$(version)_`dpkg --print-architecture`.deb

dist: build
	rm -rf $(OUT)/dist
	name=credit-tools-$(version)-`uname -s | tr A-Z a-z`-`uname -m`; \
	$(MAKE) install BIN=$(BIN) DESTDIR=$(OUT)/dist/$$name prefix= && \
	tar -C $(OUT)/dist -czf $(OUT)/$$name.tar.gz $$name

clean:
	rm -rf $(OUT)
