internal import CreditJSON
internal import CreditModel

/// Sections on prices and usage for the pricing tools' pages.
extension Tool {
  static var priceRules: Section {
    Section(
      "The price",
      [
        .text(
          """
          The cost is the sum of counts times prices in exact arithmetic on the decimal text of the
          prices; nothing is rounded on the way. The credits are that cost divided by the dollars
          per credit, rounded up. Usage that is not zero costs at least the policy's
          `minimumCharge`, at any price; zero usage costs nothing. Only dollar prices have `usd`. A
          price that does not fit in 64 bits is `amount_out_of_range`.
          """),
        .text(
          """
          A markup of the model, else of the policy, multiplies dollar prices: `usd` is then the
          price, and `costUSD` what the provider takes. The current markup and exchange rate apply.
          """),
        .text(
          """
          Nothing that is billed is ignored: a count above 0 or a condition that the model has
          no price for is `unpriced_usage`, and `unpriced` names it. If the policy says
          `"unpricedUsage":"base"` the rest is charged at the model's own prices, and the result
          has `unpriced`.
          """),
      ])
  }

  /// The section on usage, on each pricing tool's page.
  static var priceUsage: Section {
    Section(
      "Usage",
      [
        .text(
          """
          Usage is counts that do not overlap, or `units` alone. `inputTokens` and `outputTokens`
          are always there. Other counts of 0 are omitted. Totals are ignored.
          """),
        .table(
          [["Count", "Flag", "What is counted"]]
            + UsageCount.allCases.map { count in
              let row = count.row
              return ["`\(row.member)`", "`--\(row.flag)`", row.summary]
            }),
        .text(
          """
          Usage may also name what else sets the price: `serviceTier`, `speed` and `inferenceGeo`.
          Their ordinary values (\(ordinaryValues)), in upper or lower case, are omitted. A request
          may also name `serviceTier` outside its usage.
          """),
        .text(
          """
          A provider's own response is a request, too: the shapes of OpenAI Chat and Responses,
          Anthropic Messages, Gemini and Vertex, Bedrock Converse, Cohere, Ollama, llama.cpp,
          Mistral, DeepSeek, xAI, Groq, OpenRouter and everything compatible with OpenAI's are
          turned into these counts by each provider's rules. The model is that of `--model`, or
          else the response's own.
          """),
        .text(
          """
          Usage that is missing, null, negative, fractional, text, or only a total is
          `invalid_usage`. If the policy says `"usageFallback":"minimum"` it costs the minimum
          charge instead, and the result is marked `"usageFallback":true`.
          """),
        .text(
          """
          Usage flags supply counts missing from the request. A provider's response is complete:
          flags that contradict it are refused. A request whose usage cannot be read is refused
          even with usage flags, and then the minimum charge does not replace it.
          """),
      ])
  }

  /// How a response is read; the page of the providers has more.
  static var priceReading: Section {
    Section(
      "Responses",
      [
        .text(
          """
          With `--response` standard input is one response, whole or streamed. One that has not said
          its end is `cut_response`, with the counts so far as `partial`; `--partial` takes those.
          One that the provider says failed is `failed_response`, and is never charged. What each
          provider counts, and how its responses end and fail, is in credit-providers(7).
          """)
      ])
  }

  /// The sections of `credit-providers(7)`.
  package static var providerSections: [Section] { [usageShapes, responseEnds] }

  /// The shapes of usage, as their table has them.
  private static var usageShapes: Section {
    Section(
      "Usage of providers",
      [
        .text(
          """
          A usage is looked for at \(places), in this order. It is of the first of these shapes that
          fits. A number that a shape does not know, above 0, whose name ends in `tokens`,
          `requests`, `queries` or `seconds`, is not guessed at: the result names it in `unread`.
          What a provider counts and does not bill is known and left out.
          """),
        .text(
          """
          Vercel's gateway leaves reasoning out of the output, so there it is added. Elsewhere
          reasoning above the output is named in `unread`. Searches by OpenAI's preview tool
          (`web_search_preview` in `tools`) are `webSearchPreviews`, others `webSearches`. A batch
          object is read with `serviceTier` batch. A negative cost is `invalid_usage` if the model
          has `reportedCost`.
          """),
        .text(
          """
          Of a run of several models one is billed: for `claude -p --output-format json` the one
          whose `modelUsage` is equal to `usage`, for `gemini --output-format json` the one with
          the most tokens. The others are named in `unread`, and on standard error.
          """),
        .terms(
          ResponseRules.shapes.map { shape in
            Term(shape.name, "\(shape.counts) See \(shape.page).")
          }),
      ])
  }

  /// The ends of whole and of failed responses, from their tables.
  private static var responseEnds: Section {
    Section(
      "Whole, cut and failed responses",
      [
        .text(
          """
          A stream is whole where it has said its end, and its final usage if it says any; until
          then it is `cut_response`, with the counts so far as `partial`. `--partial` takes those.
          A line that is a piece of a stream is cut, too. Two final usages that differ are
          `invalid_usage`, also under one id. What ends a response:
          """),
        .terms(
          ResponseRules.forms.map { form in Term(form.name, "\(form.end). See \(form.page).") }),
        .text(
          """
          A response failed, and is never charged, if its status is \(statuses); or if it has no
          usage and an error at \(errors), or a `finish_reason` of `ERROR`; or is an object or event
          of the type `error`, or an event of that name. Then it is `failed_response`, with the
          provider's own words. A line of a batch's results failed if its result is not
          `succeeded`, its `status_code` not 2xx, or it has an error or no response. An OpenAI
          response that is `incomplete` is billed.
          """),
      ])
  }

  private static var places: String {
    ResponseRules.usagePlaces.map { $0.isEmpty ? "the object itself" : "`\($0)`" }
      .joined(separator: ", ")
  }

  private static var statuses: String {
    ResponseRules.failedStatuses.map { "`\($0)`" }.joined(separator: ", ")
  }

  private static var errors: String {
    ResponseRules.errorPlaces.map { "`\($0)`" }.joined(separator: ", ")
  }

  private static var ordinaryValues: String {
    UsageCondition.ordinaryValues.map { "`\($0)`" }.joined(separator: ", ")
  }

  /// How a policy or a catalog prices a model.
  static var pricedModels: Section {
    Section(
      "Models",
      [
        .text(
          """
          A model of a policy or catalog has an `id`, optional `aliases`, `from` (the time from
          which its price holds), `markup` and `source` (where the price is from), and one price:
          """),
        .terms([
          Term("`usdPer1M`", "Dollar prices by count."),
          Term("`tokens`", "The same in millionths of a dollar, as older policies have them."),
          Term("`creditsPerToken`", "Credits for a token: `input` and `output`."),
          Term("`creditsPerUnit`", "Credits for each of `units`."),
          Term("`creditsPerRequest`", "Credits for a request, with any usage."),
          Term("`free`", "Any usage costs nothing."),
          Term(
            "`reportedCost`",
            """
            What the provider says it cost: the request's `reportedUSD`, in dollars. Without one it
            is `unpriced_usage`.
            """),
        ]),
        .text(
          """
          An alias that ends in `-DATE` covers the names of a model's snapshots: `gpt-5-DATE` is
          found as `gpt-5-2025-08-07`, `gpt-5-20250807` and `gpt-5-latest`. A name that another
          model of the list has written out is that model's.
          """),
        .text(
          """
          The prices of `usdPer1M` are decimal text or numbers, in dollars: for a million tokens,
          for a thousand calls, and `requestPer1000` for a thousand requests. An explicit 0 is 0.
          Where a model has no price for a count the last column holds:
          """),
        .table(
          [["Count", "Member of `usdPer1M`", "If absent"]]
            + UsageCount.allCases.map { count in
              let row = count.row
              return [
                "`\(row.member)`", "`\(PriceForm.dollars.name(of: count))`", row.absentPrice.words,
              ]
            }),
        .text(
          """
          `tiers` are cliffs: one holds for the whole request where its input of all kinds is above
          `aboveInputTokens`, or at or above `atInputTokens`. Prices missing from a tier are
          the model's own. `when` says what a condition changes:
          """),
        .code(
          """
          {"input": "3", "output": "15",
           "tiers": [{"aboveInputTokens": 200000,
                      "input": "6", "output": "22.5"}],
           "when": {"serviceTier=batch": {"multiply": "0.5"},
                    "serviceTier=priority": {},
                    "hours=mon-fri 16:30-00:30": {"multiply": "0.75"},
                    "speed=fast": {"input": "30", "output": "150"}}}
          """),
        .text(
          """
          A condition is a member of the usage and its value, or `hours` and the hours of UTC in
          which the work was done, on some days of the week or on all.
          """),
        .text(
          """
          `tokens` has the same members with `USDPer1M` after the name of a count of tokens
          (`inputUSDPer1M`), and `USDPer1000` in place of `Per1000`. Its prices are whole numbers or
          decimal text, in millionths of a dollar. A model has one of the two.
          """),
        .text(
          """
          The prices of an entry, which may have its own `tiers`, take the place of the model's and
          of its tiers'. Then every `multiply` multiplies the prices of tokens, not of calls. An
          empty entry costs the same. If two matching entries set the same price, the usage is
          unpriced.
          """),
        .text(
          """
          An id may appear several times, each time with another `from`: the latest that is not
          after the time of use applies. The time of use is the request's `usedAt`, or else now.
          Before its first price a model is `unknown_model`. The catalog that a policy names counts
          only for ids that the policy's own `models` do not name.
          """),
      ])
  }
}

extension UsageCount.AbsentPrice {
  /// The rule, for a table.
  fileprivate var words: String {
    switch self {
    case .refused: "must be there"
    case .input: "input price"
    case .inputUnlessCacheWrite: "input price, or none if there is a `cacheWrite`"
    case .cacheRead: "`cacheRead` price, else input price"
    case .unpriced: "none"
    }
  }
}
