import Foundation
import Testing

/// The rules of the code base that a compiler does not check, each with a proof that it can fail.
@Suite("Rules of the code base")
struct RulesTests {
    @Test("No module whose generics are hot imports another one as package")
    func hotModulesAreSpecialised() throws {
        let complaints = try SourceTree.sources.flatMap(Rules.specialisationComplaints)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("A package import in such a module is found, and in another one it is not")
    func aPackageImportIsFound() {
        let hot = SourceFile(
            path: "Sources/Networking/Bad.swift", text: "package import Rx\nimport Locking\n")
        let other = SourceFile(path: "Sources/GatewayHTTP/Good.swift", text: "package import GatewayCore\n")
        #expect(
            Rules.specialisationComplaints(hot) == [
                "Sources/Networking/Bad.swift: importing Rx as package keeps Networking from being specialised"
            ])
        #expect(Rules.specialisationComplaints(other).isEmpty)
    }

    @Test("No source file is longer than 400 lines, a state machine than 600")
    func noSourceFileIsTooLong() throws {
        let complaints = try SourceTree.sources.flatMap(Rules.lengthComplaints)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("A file that is too long is found")
    func aFileThatIsTooLongIsFound() {
        let lines = String(repeating: "//\n", count: 401)
        #expect(Rules.lengthComplaints(SourceFile(path: "Sources/Rx/Long.swift", text: lines)).count == 1)
        #expect(
            Rules.lengthComplaints(SourceFile(path: "Sources/Rx/LongStateMachine.swift", text: lines)).isEmpty
        )
    }

    @Test(
        "What the compiler cannot check for Sendable stands only in EventIO, Rx and Locking, with its reason")
    func uncheckedSendableIsNamedAndReasoned() throws {
        let complaints = try SourceTree.sources.flatMap(Rules.uncheckedComplaints)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("An unchecked Sendable elsewhere, or without its reason, is found")
    func anUncheckedSendableElsewhereIsFound() {
        let elsewhere = SourceFile(
            path: "Sources/GatewayCore/Bad.swift",
            text: "// Sound: no.\nfinal class A: @unchecked Sendable {}\n")
        let silent = SourceFile(
            path: "Sources/Rx/Bad.swift", text: "\nfinal class A: @unchecked Sendable {}\n")
        let reasoned = SourceFile(
            path: "Sources/Rx/Good.swift",
            text: "// Sound: immutable.\nfinal class A: @unchecked Sendable {}\n")
        let subclass = SourceFile(
            path: "Sources/Rx/Sub.swift", text: "\nfinal class B<T>: A<T>, @unchecked Sendable {}\n")
        #expect(Rules.uncheckedComplaints(subclass).isEmpty)
        #expect(Rules.uncheckedComplaints(elsewhere).count == 1)
        #expect(Rules.uncheckedComplaints(silent).count == 1)
        #expect(Rules.uncheckedComplaints(reasoned).isEmpty)
    }

    @Test("No production code traps by a forced try or cast")
    func noForcedTryOrCast() throws {
        let complaints = try SourceTree.sources.flatMap(Rules.forceComplaints)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("A forced try is found, in code but not in a comment")
    func aForcedTryIsFound() {
        #expect(
            Rules.forceComplaints(SourceFile(path: "Sources/Rx/A.swift", text: "let a = try! b()")).count == 1
        )
        #expect(
            Rules.forceComplaints(SourceFile(path: "Sources/Rx/A.swift", text: "// never try! here")).isEmpty)
    }
}
