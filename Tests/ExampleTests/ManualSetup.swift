/// The setup of the manual pages' examples: files, accounts and other programs.
enum ManualSetup {
  /// Commands that are not run, and why.
  static let unrun = [
    "credit-history --all --type usage --follow": "it goes on until it is stopped",
    """
    credit-history --all --limit 0 | credit-report --format hledger |
      hledger -f - balance assets:credits
    """: "few machines have hledger",
    """
    credit-history --all --limit 0 |
      credit-report --format hledger --deferred |
      hledger -f - balance --monthly income liabilities
    """: "few machines have hledger",
    "cd /usr/local/bin": "it is the machine's",
    "credit-store init --roles --store postgres://db.example.com/credits": "there is no server",
    "credit-store push --to postgres://db.example.com/credits": "there is no server",
    """
    for tool in price authorize charge topup balance account history refund transfer run store \
    doctor usage report reconcile; do
      ln -s credit "credit-$tool"
    done
    """: "it is for that folder",
  ]

  /// Pages that are not run, and why.
  static let unrunPages = ["man/credit-server.7": "it needs a server"]

  /// Returns the text before the commands of a page, which prints nothing.
  static func text(for page: String) -> String {
    let whole = ["man/credit-tutorial.7", "man/credit-payments.7", "man/credit-grants.7"]
    if whole.contains(page) { return "cd \"$HOME\"\n" }
    return common + (own[page] ?? "")
  }

  /// A folder to work in with a response and a log, a store, and accounts in it. The time is before
  /// the dates of the pages.
  private static let common = #"""
    mkdir "$HOME/folder"
    cp examples/responses/message.json "$HOME/folder/response.json"
    cp examples/responses/calls.ndjson "$HOME/folder/usage.ndjson"
    cd "$HOME/folder"
    echo '{}' | tee question.json >headers
    export CREDIT_STORE=$HOME/store CREDIT_NOW=2026-11-02T09:00:00Z EDITOR=true
    mkdir answers
    cp response.json answers
    cp response.json "$HOME/answer"
    answer() { cat "$HOME/answer"; }
    mail() { cat >/dev/null; }
    credit-store init >/dev/null
    credit-store policy |
      sed 's/"plans": *\[\]/"plans": [{"id": "pro", "quota": 50, "period": "month"}]/' |
      credit-store policy --set - >/dev/null
    printf '{"account":"%s"}\n' alice me ana ben | credit-account >/dev/null

    """#

  /// Further setup of single pages.
  private static let own = [
    "man/credit-account.1": "credit-account --account acme >/dev/null\n",
    "man/credit-teams.7": "cp \"$OLDPWD/examples/teams/limit-mail\" .\n",
    "man/credit-balance.1": charge,
    "man/credit-topup.1": charge + #"""
      credit-store policy |
        sed 's/"products": *\[/&{"id": "pro.monthly", "plan": "pro"},/' |
        credit-store policy --set - >/dev/null

      """#,
    "man/credit-history.1":
      "credit-authorize --account alice --now \"$(date -u +%F)T00:00:00Z\" --quiet >/dev/null\n",
    "man/credit-refund.1": charge + #"""
      credit-topup --account alice --transaction 2000000123 --credits 1000 >/dev/null
      credit-topup --account bob --transaction 2000000124 --credits 1000 --price 9.99 \
        --currency USD >/dev/null
      id=$(credit-history --account alice --type usage --get id)

      """#,
    "man/credit-policy.5": "export CREDIT_STORE=$HOME/new\n",
    "man/credit-transfer.1":
      "credit-topup --account ana --key pack --credits 3600 >/dev/null\n",
    "man/credit-report.1":
      "credit-charge --tag project=x <usage.ndjson >/dev/null; "
      + "echo gross,payment_intent_id,invoice_id >balance.csv\n",
    "man/credit-reconcile.1": #"""
    day() { date -ud "2026-11-01 + $1 days" +%Y-%m-%dT00:00:00Z; }
    for n in $(seq 0 29); do
      printf ',{"starting_at":"%s","ending_at":"%s","results":[]}' $(day $n) $(day $((n + 1)))
    done | sed 's/^,/{"data":[/; s/$/],"has_more":false}/' | tee usage.json >cost.json
    printf '%s\n' request_id,model,spend,startTime 'r,m,0,2026-11-01 10:00:00' >spend.csv

    """#,
    "man/credit-run.1": #"""
    printf '#!/bin/sh\ncat response.json >"$2"\n' >job; chmod +x job

    """#,
    "man/credit-charge.1": claude,
    "man/credit-providers.7": #"""
    sleep() { :; }
    curl() {
      case $2 in
        https://api.bfl.ai/*) echo '{"id":"i","polling_url":"poll"}' ;;
        poll)
          case $(echo >>polls; wc -l <polls) in
            1) echo '{"id":"i","status":' ;;
            2) echo '{"id":"i","status":"Pending","result":null}' ;;
            *) echo '{"id":"i","status":"Ready","result":{"sample":"u"}}' ;;
          esac ;;
        *) echo '{"created":1,"data":[{"url":"u"}]}' ;;
      esac
    }
    credit-store policy | jq '.models += [{"id": "flux", "creditsPerRequest": 60}, {"id":
      "dall-e-3", "usdPer1M": {"input": "0", "output": "0", "imagePer1000": "40"}}]' |
      credit-store policy --set - >/dev/null

    """#,
    "man/credit-price.1": #"""
    cat >model_prices_and_context_window.json <<'END'
    {"gpt-4o": {"input_cost_per_token": 2.5e-06, "output_cost_per_token": 1e-05, "mode": "chat"},
     "gemini-2.5-flash": {"input_cost_per_token": 3e-07, "output_cost_per_token": 2.5e-06,
       "mode": "chat"},
     "claude-sonnet-4.5": {"input_cost_per_token": 3e-06, "output_cost_per_token": 1.5e-05,
       "mode": "chat"}}
    END

    """#,
    "man/credit-usage.1": claude + #"""
      mkdir -p "$HOME/.codex/sessions"
      cat >"$HOME/.codex/sessions/rollout-1.jsonl" <<'END'
      {"timestamp":"2026-02-19T10:00:00.000Z","type":"session_meta","payload":{"id":"s1"}}
      {"timestamp":"2026-02-19T10:00:01.000Z","type":"turn_context","payload":{"model":"gpt-5"}}
      {"timestamp":"2026-02-19T10:00:09.000Z","type":"event_msg","payload":{"type":"token_count",\#
      "info":\#
      {"total_token_usage":{"input_tokens":50,"cached_input_tokens":40,"output_tokens":30,\#
      "total_tokens":80},"last_token_usage":{"input_tokens":50,"cached_input_tokens":40,\#
      "output_tokens":30,"total_tokens":80}}}}
      END
      psql() {
        echo request_id,model,prompt_tokens,completion_tokens,spend,startTime,user,status
        echo 'r1,gpt-4o,1500,20,0.00217,2026-02-19 10:00:00.5,ana,success'
      }

      """#,
  ]

  private static let charge = #"""
    credit-charge --account alice --key one --model claude-sonnet-4.5 \
      --input-tokens 1200 --output-tokens 500 >/dev/null

    """#

  private static let claude = #"""
    mkdir -p "$HOME/.claude/projects/app"
    cat >"$HOME/.claude/projects/app/s1.jsonl" <<'END'
    {"type":"assistant","sessionId":"s1","cwd":"/app","message":{"id":"m1",\#
    "model":"claude-sonnet-4-5",\#
    "stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":500}},\#
    "timestamp":"2026-02-19T10:00:01.000Z"}
    END

    """#
}
