# The executable of a release for Homebrew on Linux. `Sources/Packaging/recipes` fills what is between @.
class CreditTools < Formula
  desc "Prepaid credits for AI usage"
  homepage "@HOMEPAGE@"
  url "@RELEASES@/v@VERSION@/credit-tools-@VERSION@-linux-x86_64.tar.gz"
  sha256 "@SHA256@"
  license "MIT"

  depends_on arch: :x86_64
  depends_on :linux

  def install
    prefix.install "bin", "share"
  end

  test do
    ENV["CREDIT_STORE"] = testpath/"store"
    system bin/"credit-store", "init"
    assert_equal "1000", shell_output("#{bin}/credit-balance --account me --get balance").strip
  end
end
