import Foundation
import Testing

/// Each rule has a proof that it can fail. The compiler checks none of them.
@Suite("Rules of the code base")
struct RulesTests {
    @Test("No module whose generics must be specialised uses package import")
    func hotModulesAreSpecialised() throws {
        let complaints = try SourceTree.sources.flatMap(Rules.specialisationComplaints)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("A package import is found in such a module and ignored in other modules")
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

    @Test("A source file has at most 400 lines, a state machine or a parser at most 600")
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

    @Test("Each unchecked Sendable has a comment that says what protects it")
    func uncheckedSendableIsReasoned() throws {
        let complaints = try SourceTree.sources.flatMap(Rules.uncheckedComplaints)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("An unchecked Sendable without a comment is found, even in a subclass")
    func anUncheckedSendableWithoutReasonIsFound() {
        func complaints(_ text: String) -> [String] {
            Rules.uncheckedComplaints(SourceFile(path: "Sources/Rx/A.swift", text: text))
        }
        let silent = ["Sources/Rx/A.swift:2: does not say what protects it"]
        #expect(complaints("\nfinal class A: @unchecked Sendable {}\n") == silent)
        #expect(complaints("\nfinal class B<T>: A<T>, @unchecked Sendable {}\n") == silent)
        #expect(complaints("// Not directly above.\n\nclass A: @unchecked Sendable {}\n").count == 1)
        #expect(complaints("// Sound: constants.\nclass A: @unchecked Sendable {}\n").isEmpty)
        #expect(complaints("class A: @unchecked Sendable {}  // Sound: constants.\n").isEmpty)
        #expect(
            complaints("// Sound: constants.\n@frozen\nclass A<T>: B,\n    @unchecked Sendable\n{}\n").isEmpty
        )
    }

    @Test("A stored variable of a class that says that it adds only constants is found")
    func aVariableAmongConstantsIsFound() {
        func complaints(_ body: String) -> [String] {
            let text =
                "// Sound: it adds only constants.\nfinal class A: B, @unchecked Sendable\n{\n\(body)\n}\nvar c = 1\n"
            return Rules.uncheckedComplaints(SourceFile(path: "Sources/Rx/A.swift", text: text))
        }
        let found = ["Sources/Rx/A.swift:4: stores a variable in a type that adds only constants"]
        #expect(complaints("    private var a: Int") == found)
        #expect(complaints("    private lazy var a = make { 1 }") == found)
        #expect(complaints("    var a = 1 { didSet {} }") == found)
        #expect(complaints("    var a: Int {\n        willSet { b() }\n    }") == found)
        #expect(complaints("    @exclusivity(unchecked) private final var a: (Int, Int)") == found)
        #expect(complaints("    private let a = 1\n    var b: Bool { a == 1 }").isEmpty)
        #expect(complaints("    struct State { var a = 1 }\n    func b() { var c = 1; c += 1 }").isEmpty)
        #expect(complaints("    static var a: Int { 1 }  // var b").isEmpty)
        let other = "// Sound: the lock guards it.\nclass A: @unchecked Sendable { var a = 1 }\n"
        #expect(Rules.uncheckedComplaints(SourceFile(path: "Sources/Rx/A.swift", text: other)).isEmpty)
        let short = "// Sound: it adds only constants.\nclass A: @unchecked Sendable { var a = 1 }\n"
        #expect(Rules.uncheckedComplaints(SourceFile(path: "Sources/Rx/A.swift", text: short)).count == 1)
    }

    @Test("Each module uses forms that the compiler cannot check exactly as often as its cap states")
    func uncheckedFormsAreCapped() throws {
        let complaints = Rules.capComplaints(try SourceTree.sources)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("A count above or below its cap is found")
    func aCountThatIsNotItsCapIsFound() {
        let file = SourceFile(path: "Sources/Rx/A.swift", text: "unsafeDowncast(a)\nunsafeDowncast(b)\n")
        let comment = SourceFile(path: "Sources/Rx/B.swift", text: "// unsafeDowncast\n")
        func complaints(_ caps: [String: Int]) -> [String] {
            Rules.capComplaints([file, comment], ["unsafeDowncast": caps])
        }
        #expect(complaints(["Rx": 2]).isEmpty)
        #expect(complaints(["Rx": 1]) == ["Rx: 2 lines with unsafeDowncast, at most 1"])
        #expect(complaints([:]) == ["Rx: 2 lines with unsafeDowncast, at most 0"])
        #expect(complaints(["Rx": 3]) == ["Rx: lower the cap of unsafeDowncast to 2"])
        #expect(complaints(["Rx": 2, "EventIO": 1]) == ["EventIO: lower the cap of unsafeDowncast to 0"])
    }

    @Test("An unchecked Sendable counts unless its class adds only constants")
    func provenClassesDoNotCount() {
        let text = """
            // Sound: it adds only
            // constants, locks and atomics.
            final class A: B, @unchecked Sendable {}

            // Sound: the lock guards it.
            final class C: B, @unchecked Sendable { var d = 1 }
            """
        let file = SourceFile(path: "Sources/Rx/A.swift", text: text)
        #expect(Rules.capComplaints([file], ["@unchecked Sendable": ["Rx": 1]]).isEmpty)
        #expect(
            Rules.capComplaints([file], ["@unchecked Sendable": [:]])
                == ["Rx: 1 lines with @unchecked Sendable, at most 0"])
    }

    @Test("No production code contains a forced try or a forced cast")
    func noForcedTryOrCast() throws {
        let complaints = try SourceTree.sources.flatMap(Rules.forceComplaints)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("A forced try is found in code and ignored in a comment")
    func aForcedTryIsFound() {
        #expect(
            Rules.forceComplaints(SourceFile(path: "Sources/Rx/A.swift", text: "let a = try! b()")).count == 1
        )
        #expect(
            Rules.forceComplaints(SourceFile(path: "Sources/Rx/A.swift", text: "// never try! here")).isEmpty)
    }

    @Test("No test waits without a deadline")
    func waitsEnd() throws {
        let complaints = try SourceTree.tests.flatMap(Rules.waitComplaints)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("A wait without a deadline is found")
    func anEndlessWaitIsFound() {
        func complaints(_ text: String) -> [String] {
            Rules.waitComplaints(SourceFile(path: "Tests/RxTests/A.swift", text: text))
        }
        #expect(complaints("\ndone.wait()\n") == ["Tests/RxTests/A.swift:2: waits without a deadline"])
        #expect(complaints("do {\n    while !isOver { await Task.yield() }\n}\n").count == 1)
        #expect(complaints("while count.withLock({ $0 }) < 3 {\n    sched_yield()\n}\n").count == 1)
        #expect(complaints("try await signal.wait()\n// group.wait()\n").isEmpty)
        #expect(complaints("while !Task.isCancelled { await Task.yield() }\n").isEmpty)
        #expect(complaints("if isSlow { await Task.yield() }\n").isEmpty)
    }
}
