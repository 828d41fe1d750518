import Testing

@Suite("Rules of public types")
struct PublicTypesTests {
    /// Types that code uses without a name or a member of their own: the compiler infers them.
    private static let inferred: Set<String> = [
        // What operators are declared for.
        "EventConvertible", "StreamType", "PrimitiveSequenceType", "ConnectableObservableType", "ValueTrait",
        "SingleTrait", "MaybeTrait", "CompletableTrait",
        // Classes of a chain of operators, and the base class of disposables.
        "Link", "DisposeBase",
        // The builder of a `DisposeBag { }`, and what `.noLeaks` of the tests counts in.
        "DisposeBag.DisposableBuilder", "Resources.Ledger",
        // What the parts of an answer are.
        "PartConvertible", "FalliblePart",
        // Requirements of a transport with connections, which have defaults.
        "StreamingAttemptReceiver", "BodyForm", "FlowControl", "TriedAddresses",
        // The engine, which a server and `withGateway` drive.
        "GatewayResponder", "OngoingRequest",
    ]

    @Test("The compiled code of a page uses every public type of the products that programs import")
    func typesAreUsed() throws {
        let articles = try SourceTree.files(in: "Sources", ending: ".md") + [SourceTree.readme]
        let code = articles.flatMap(Documentation.blocks).filter { $0.kind == "swift" }.flatMap(\.lines)
        let complaints = PublicTypes(try SourceTree.sources).complaints(code, except: Self.inferred)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("The products of the manifest are the modules whose types are counted")
    func products() throws {
        let manifest = try SourceTree.file("Package.swift")
        let products = manifest.lines.drop { !$0.hasPrefix("    products:") }
            .prefix { !$0.hasPrefix("    targets:") }
        let text = products.joined(separator: "\n")
        for module in ["Networking", "NetworkingSession", "Rx", "HTTPModel", "JSONBytes", "JSONCoding"] {
            #expect(text.contains("\"\(module)\""))
        }
        let reexported = try SourceTree.files(in: "Sources/Sluice", ending: ".swift").flatMap(\.lines)
            .filter { $0.hasPrefix("@_exported public import ") }.map { String($0.split(separator: " ")[3]) }
        #expect(Set(reexported + ["Sluice", "GatewayTesting"]) == PublicTypes.modules)
    }

    private static let file = SourceFile(
        path: "Sources/Rx/A.swift",
        text: """
            public struct Named {}
            @_spi(Reading)
            public struct Hidden {}
            package struct Internal {}
            public enum Scope: Sendable {
                case whole, part(of: Int)
            }
            public struct Client {
                public struct Iterator {}
                public typealias Element = Int
                public func get(_ path: String) -> Int { 0 }
            }
            public final class Other {
                public func get() {}
                public struct Inner {
                    public var size: Int
                }
            }
            public struct Opaque {}
            public func withClient(
                _ body: (Client) -> Void
            ) -> Opaque { Opaque() }
            """)

    @Test("Types count by their public names, with the types around them")
    func typesAreFound() {
        let types = PublicTypes([Self.file], modules: ["Rx"]).types
        #expect(
            types.keys.sorted() == ["Client", "Named", "Opaque", "Other", "Other.Inner", "Scope"])
        #expect(types["Scope"]?.members == ["whole", "part"])
    }

    @Test(
        "A type is used by its name, by a member of its own, or by a member and a declaration that names it",
        arguments: [
            (["let a = Named()"], ["Client", "Opaque", "Other", "Other.Inner", "Scope"]),
            (["f(.part(of: 3))"], ["Client", "Named", "Opaque", "Other", "Other.Inner"]),
            (["withClient { client in client.get(\"/\") }"], ["Named", "Other", "Other.Inner", "Scope"]),
            (
                ["client.get(\"/\")  // Named"],
                ["Client", "Named", "Opaque", "Other", "Other.Inner", "Scope"]
            ),
            (["print(a.size)"], ["Client", "Named", "Opaque", "Other", "Scope"]),
        ])
    func uses(code: [String], unused: [String]) {
        let types = PublicTypes([Self.file], modules: ["Rx"])
        #expect(
            types.complaints(code, except: [])
                == unused.map { "Sources/Rx/A.swift: no compiled code of a page uses \($0)" })
        #expect(types.complaints(code, except: Set(unused)).isEmpty)
        #expect(
            types.complaints(code, except: Set(unused + ["Gone"])) == [
                "Gone is used or gone: remove it from the exceptions"
            ])
    }

    @Test("A type that is exported from another module counts with the types in it")
    func exported() {
        let exports = SourceFile(
            path: "Sources/GatewayHTTP/A.swift", text: "@_exported public import struct Rx.Other\n")
        let types = PublicTypes([Self.file, exports], modules: ["GatewayHTTP"]).types
        #expect(types.keys.sorted() == ["Other", "Other.Inner"])
    }
}
