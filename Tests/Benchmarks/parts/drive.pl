#!/usr/bin/perl
# drive.pl BATCH ACCOUNTS SECONDS PREFIX COMMAND...: feeds charges to a command in batches, each once
# the one before it has been answered, and prints how many were answered a second.
use strict;
use warnings;
use IPC::Open2;
use Time::HiRes 'time';

my ($batch, $accounts, $seconds, $prefix, @command) = @ARGV;
my $pid = open2(my $answers, my $requests, @command);
$requests->autoflush(1);

# The first batch connects.
my ($sent, $start) = (0, 0);
until ($start && time - $start >= $seconds) {
  my $text = '';
  for (1 .. $batch) {
    my $account = int rand $accounts;
    $text .= qq({"account":"acc$account","key":"$prefix$sent","model":"gpt-4o",)
      . qq("usage":{"inputTokens":1200,"outputTokens":500}}\n);
    $sent++;
  }
  print $requests $text;
  for (1 .. $batch) {
    my $answer = <$answers>;
    die "drive: the command has ended\n" unless defined $answer;
    die "drive: $answer" if $answer =~ /^\{"error"/;
  }
  $start ||= time;
}
printf "%d\n", ($sent - $batch) / (time - $start);
close $requests;
waitpid $pid, 0;
