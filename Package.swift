// swift-tools-version: 6.2
import PackageDescription

/// What every target of the suite is compiled with, tests too: language mode 6 (the tools version's
/// default), explicit existentials and imports, and no warning let through.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
  // Values are copied by code made for them, not by descriptions that the runtime makes at start.
  .unsafeFlags(["-Xfrontend", "-disable-type-layout"], .when(configuration: .release)),
  // Types are made by code, too, not from their names: an eighth of the instructions of a short run.
  .unsafeFlags(
    ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"],
    .when(configuration: .release)),
  // The pass that unrolls loops before LLVM does orders values by their addresses in the compiler:
  // a release would have other bytes now and then.
  .unsafeFlags(["-Xllvm", "-sil-disable-pass=loop-unroll"], .when(configuration: .release)),
  // Each function has a section of its own, so that the linker can put those together that a short
  // run touches, and leave out what a tool never calls. By default it would have to keep whatever
  // another module may call, and the names of all members.
  .unsafeFlags(
    [
      "-Xfrontend", "-function-sections", "-Xfrontend", "-internalize-at-link",
      "-Xfrontend", "-disable-reflection-metadata",
    ],
    .when(configuration: .release)),
]

/// What every target of `Sources` is compiled with: without the imports that a file has unasked.
/// Regular expressions would make the tools larger, and each search for a conformance longer.
let lean: [SwiftSetting] =
  strict + [
    .unsafeFlags([
      "-Xfrontend", "-disable-implicit-string-processing-module-import",
      "-Xfrontend", "-disable-implicit-concurrency-module-import",
    ])
  ]

/// Modules that read and write every byte. They took most of the tests' time, so a debug build
/// optimizes them, too.
let quick: [SwiftSetting] = lean + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// What is written only at the start is read-only from then on, no page is both written and
/// executed, and code has pages of its own. A release has no symbols unless CREDIT_SYMBOLS is set,
/// for `perf` or `valgrind`.
let hardened =
  linked("-z") + linked("relro") + linked("-z") + linked("now")
  + linked("-z") + linked("noexecstack") + linked("-z") + linked("separate-code")
  + (Context.environment["CREDIT_SYMBOLS"] == nil ? linked("-s") : [])

/// A release build on Linux is one static file, hardened, that starts in under a millisecond and runs
/// on a machine without Swift. What a short run touches is side by side in it, so that the system
/// reads few pages (`Sources/Linking/profile` writes the list). With the trait Postgres it is linked
/// dynamically to libpq and the C library, as static ones cannot be had everywhere.
let standalone: [LinkerSetting] = [
  .unsafeFlags(
    ["-static-executable", "-use-ld=lld"] + hardened
      + linked("--symbol-ordering-file=\(Context.packageDirectory)/Sources/Linking/order.txt")
      + linked("--no-warn-symbol-ordering")
      + linked("\(Context.packageDirectory)/Sources/Linking/discard.ld")
      // The names of all characters, which CShims has a function for that has none.
      + linked("--wrap=_swift_stdlib_getScalarName")
      + (Context.environment["CREDIT_SYMBOLS"] == nil
        ? linked("--no-eh-frame-hdr")
          + linked("\(Context.packageDirectory)/Sources/Linking/strip.ld") : []),
    .when(platforms: [.linux], configuration: .release, traits: ["Standalone"])),
  .unsafeFlags(
    ["-static-stdlib", "-use-ld=lld"] + hardened,
    .when(platforms: [.linux], configuration: .release, traits: ["Postgres"])),
]

func linked(_ flag: String) -> [String] { ["-Xlinker", flag] }

/// What only stores on a server need.
let withServer = TargetDependencyCondition.when(traits: ["Postgres"])

/// One executable a tool, and one for them all; each is a single call into `CreditCommand`.
let tools = [
  "credit",
  "credit-price", "credit-authorize", "credit-charge", "credit-topup", "credit-balance",
  "credit-account", "credit-history", "credit-refund", "credit-transfer", "credit-run",
  "credit-store", "credit-doctor",
  "credit-usage", "credit-report", "credit-reconcile",
]

/// All tests.
let tests: [Target] = [
  // What the other test targets share; it has no tests of its own.
  .testTarget(
    name: "TestSupport",
    dependencies: ["CreditBytes", "CreditModel", "CreditSystem", "CreditJSON", "CreditStore"],
    swiftSettings: strict),
  .testTarget(
    name: "CreditBytesTests",
    dependencies: ["CreditBytes", "CreditModel", "TestSupport"],
    swiftSettings: strict),
  .testTarget(
    name: "CreditModelTests", dependencies: ["CreditModel", "TestSupport"],
    swiftSettings: strict),
  .testTarget(
    name: "CreditSystemTests", dependencies: ["CreditBytes", "CreditSystem", "TestSupport"],
    swiftSettings: strict),
  .testTarget(
    name: "CreditJSONTests", dependencies: ["CreditModel", "CreditJSON", "TestSupport"],
    swiftSettings: strict),
  .testTarget(
    name: "CreditStoreTests",
    dependencies: [
      "CreditBytes", "CreditModel", "CreditSystem", "CreditJSON", "CreditStore", "TestSupport",
    ],
    swiftSettings: strict),
  .testTarget(
    name: "CreditServerTests",
    dependencies: ["CreditBytes", "CreditModel", "CreditStore", "CreditServer", "TestSupport"],
    swiftSettings: strict),
  .testTarget(
    name: "CreditPostgresTests",
    dependencies: [
      "CreditModel", "CreditSystem", "CreditJSON", "CreditStore", "CreditServer",
      "CreditPostgres", "TestSupport",
    ],
    swiftSettings: strict),
  .testTarget(
    name: "CreditLogsTests",
    dependencies: ["CreditModel", "CreditSystem", "CreditLogs", "TestSupport"],
    swiftSettings: strict),
  .testTarget(
    name: "CreditFinanceTests",
    dependencies: ["CreditBytes", "CreditModel", "CreditJSON", "CreditFinance", "TestSupport"],
    swiftSettings: strict),
  .testTarget(
    name: "CreditPaymentsTests",
    dependencies: [
      "CreditBytes", "CreditModel", "CreditSystem", "CreditJSON", "CreditStore", "CreditPayments",
      "CreditCommand", "TestSupport",
    ],
    swiftSettings: strict),
  .testTarget(
    name: "CreditCommandTests",
    dependencies: [
      "CreditBytes", "CreditModel", "CreditSystem", "CreditJSON", "CreditCommand", "TestSupport",
    ],
    swiftSettings: strict),
  .testTarget(
    name: "CreditManualTests",
    dependencies: ["CreditModel", "CreditCommand", "CreditManual", "TestSupport"],
    swiftSettings: strict),
  .testTarget(
    name: "SimulatorTests",
    dependencies: ["CreditModel", "CreditSystem", "CreditJSON", "CreditStore", "TestSupport"],
    swiftSettings: strict),
  .testTarget(name: "ExampleTests", dependencies: ["TestSupport"], swiftSettings: strict),
  .testTarget(
    name: "TidyTests", dependencies: ["TestSupport"],
    exclude: ["budgets.txt", "messages.txt", "unsafe-files.txt"], swiftSettings: strict),
  .testTarget(
    name: "ContractTests", dependencies: ["TestSupport"],
    exclude: ["Transcripts", "session.bash", "run"],
    swiftSettings: strict),
]

/// The names of the tests that are compiled; nil for all. With another trait everything is compiled
/// anew, and what is not run need not be.
let wantedTests = Context.environment["CREDIT_TESTS"]?.split(separator: ",").map(String.init)

let package = Package(
  name: "credit-tools",
  platforms: [.macOS(.v26)],
  products: tools.map { .executable(name: $0, targets: [$0]) },
  traits: [
    .default(enabledTraits: ["Standalone"]),
    .trait(name: "Standalone", description: "Tools of one static file each, in a release on Linux"),
    .trait(
      name: "Postgres",
      description: "Stores on a PostgreSQL server, which need libpq: swift build --traits Postgres"),
  ],
  targets: [
    // Bytes, texts and numbers: what has a pointer, unless a call of the system needs it.
    .target(name: "CreditBytes", dependencies: ["CShims"], swiftSettings: quick),
    .target(name: "CreditModel", dependencies: ["CreditBytes"], swiftSettings: lean),
    // Whatever calls the system stands in CreditSystem: nothing else depends on the C library.
    .target(name: "CLibrary", swiftSettings: lean),
    // What Swift cannot say: checksums by the processor, and calls of Linux.
    .target(name: "CShims"),
    .target(
      name: "CreditSystem", dependencies: ["CreditBytes", "CLibrary", "CShims"],
      swiftSettings: lean),
    .target(
      name: "CreditJSON", dependencies: ["CreditBytes", "CreditModel"],
      resources: [.embedInCode("Policies/standard-policy.json")], swiftSettings: quick),
    .target(
      name: "CreditStore",
      dependencies: ["CreditBytes", "CreditModel", "CreditSystem", "CreditJSON"],
      swiftSettings: lean),
    .target(
      name: "CreditLogs",
      dependencies: ["CreditBytes", "CreditModel", "CreditSystem", "CreditJSON"],
      swiftSettings: lean),
    .target(
      name: "CreditFinance",
      dependencies: ["CreditBytes", "CreditModel", "CreditJSON", "CreditLogs"],
      // Styles and scripts of pages: each is bytes of the program.
      resources: [
        .embedInCode("Page/page.css"), .embedInCode("Page/page.js"),
        .embedInCode("Page/products.css"),
        .embedInCode("Statement/statement.css"),
        .embedInCode("Reconcile/reconcile.css"),
      ],
      swiftSettings: lean),
    .target(
      name: "CreditPayments",
      dependencies: ["CreditModel", "CreditSystem", "CreditJSON"],
      swiftSettings: lean),
    .target(
      name: "CreditServer",
      dependencies: ["CreditBytes", "CreditModel", "CreditSystem", "CreditJSON", "CreditStore"],
      swiftSettings: lean),
    // The only other C library, under the trait Postgres alone: nothing looks for it without.
    .systemLibrary(
      name: "CPostgres", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .yum(["libpq-devel"]), .brew(["libpq"])]),
    .target(
      name: "CreditPostgres",
      dependencies: [
        "CreditBytes", "CreditModel", "CreditSystem", "CreditStore", "CreditServer",
        .target(name: "CPostgres", condition: withServer),
      ],
      swiftSettings: lean),
    .target(
      name: "CreditCommand",
      dependencies: [
        "CreditModel", "CreditSystem", "CreditJSON", "CreditStore", "CreditLogs", "CreditFinance",
        "CreditPayments",
        .target(name: "CreditServer", condition: withServer),
        .target(name: "CreditPostgres", condition: withServer),
      ],
      resources: [.embedInCode("Tools/help.txt")], swiftSettings: lean),
    .target(
      name: "CreditManual",
      dependencies: ["CreditModel", "CreditSystem", "CreditJSON", "CreditCommand"],
      swiftSettings: lean),
  ]
    + tools.map {
      .executableTarget(
        name: $0, dependencies: ["CreditCommand"], swiftSettings: lean,
        linkerSettings: standalone)
    }
    + [
      // Writes man and completions from their templates and the tools' declarations.
      .executableTarget(
        name: "credit-manual", dependencies: ["CreditBytes", "CreditSystem", "CreditManual"],
        swiftSettings: lean)
    ]
    + tests.filter { wantedTests?.contains($0.name) ?? true }
    // libFuzzer brings its own start: Tests/Fuzz/run alone builds it.
    + (Context.environment["CREDIT_FUZZ"] == nil
      ? []
      : [
        .executableTarget(
          name: "credit-fuzz",
          dependencies: [
            "CreditBytes", "CreditModel", "CreditSystem", "CreditJSON", "CreditPayments",
            "CreditCommand",
          ],
          path: "Tests/Fuzz/Target", swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])],
          linkerSettings: [.unsafeFlags(["-use-ld=lld", "-sanitize=fuzzer,address"])])
      ])
)
