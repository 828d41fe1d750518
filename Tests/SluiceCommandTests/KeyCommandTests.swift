import TestSupport
import Testing

@testable import GatewayHTTP
@testable import SluiceCommand

@Suite("sluice key")
struct KeyCommandTests {
    /// 32 bytes that are not random, and the key and the SHA-256 that belong to them.
    private static let bytes = [UInt8](0..<32)
    private static let key = "sluice_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    private static let digest = "ad226bbbb15047d08e1f9c28b4683275cf5c56e9c78508f4f4e6b20b1270504e"

    private func line(_ words: String...) throws(UsageError) -> String {
        let output = try KeyCommand.output(words, random: Self.bytes)
        return String(output.split(separator: "\n")[1])
    }

    @Test(
        "A name or a claim that the file could not have is refused",
        arguments: [
            ([], "key needs the name of its caller: sluice key phone"),
            ([""], "the name must be"), (["a b"], "the name must be"), (["é"], "the name must be"),
            (["a\nb"], "the name must be"), (["#a"], "the name must be"), (["a=b"], "the name must be"),
            ([String(repeating: "a", count: 129)], "the name must be"),
            (["phone", "plan"], "must be CLAIM=VALUE"), (["phone", "plan="], "has no value"),
            (["phone", "sub=other"], "the claim sub is the name of the line"),
            (["phone", "plan=pro", "plan=team"], "the claim plan is given twice"),
            (["phone", "=pro"], "the name of a claim"), (["phone", "plan=null"], "is null"),
            (["phone", "roles=[1"], "is not valid JSON"), (["phone", "plan=a\nb"], "control character"),
        ])
    func refused(words: [String], message: String) throws {
        let error = try #require(throws: UsageError.self) { try KeyCommand.output(words) }
        #expect(error.message.contains(message), "\(error.message)")
        #expect(!error.isAboutFile)
    }

    @Test("The key comes first, then its line with the SHA-256 of the key")
    func lines() throws {
        let output = try KeyCommand.output(["phone"], random: Self.bytes)
        #expect(output == "\(Self.key)\nphone \(Self.digest)\n")
    }

    @Test(
        "Claims stand in the line as they were given, and text with blanks gets the quotes that a shell takes off"
    )
    func claims() throws {
        #expect(try line("phone", "plan=pro", "level=3") == "phone \(Self.digest) plan=pro level=3")
        #expect(try line("phone", #"roles=["a","b"]"#) == #"phone \#(Self.digest) roles=["a","b"]"#)
        #expect(try line("phone", "scope=read write") == #"phone \#(Self.digest) scope="read write""#)
        #expect(try line("phone", #"scope="read write""#) == #"phone \#(Self.digest) scope="read write""#)
        #expect(try line("phone", #"note=says "hi" to"#) == #"phone \#(Self.digest) note="says \"hi\" to""#)
    }

    @Test("Each key is new: sluice_ and 43 characters")
    func keys() throws {
        let keys = try (0..<100).map { _ in
            String(try KeyCommand.output(["phone"]).split(separator: "\n")[0])
        }
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { $0.wholeMatch(of: /sluice_[A-Za-z0-9_-]{43}/) != nil })
    }

    @Test("The program prints two lines and nothing else; wrong usage prints no key, and the exit code is 2")
    func program() throws {
        let wrong = try SluiceProcess.run("key")
        #expect(wrong.exitCode == 2)
        #expect(wrong.output.isEmpty)
        #expect(
            wrong.errors == "sluice: key needs the name of its caller: sluice key phone; "
                + "run 'sluice key --help' to list the flags\n")
        let name = try SluiceProcess.run("key", "a b")
        #expect(name.exitCode == 2)
        #expect(name.output.isEmpty)
        #expect(try SluiceProcess.run("key", "phone", "--admin", "x").exitCode == 2)

        let made = try SluiceProcess.run("key", "phone", "plan=pro", "scope=read write", "level=3")
        #expect(made.exitCode == 0)
        #expect(made.errors.isEmpty)
        let lines = /sluice_[A-Za-z0-9_-]{43}\nphone [0-9a-f]{64} plan=pro scope="read write" level=3\n/
        #expect(made.output.wholeMatch(of: lines) != nil, "\(made.output)")
    }

    @Test("The help names the file of the keys and shows examples")
    func help() throws {
        let help = try SluiceProcess.run("key", "--help")
        #expect(help.exitCode == 0)
        #expect(help.output.hasPrefix("usage: sluice key NAME [CLAIM=VALUE ...]\n\nprint a new API key"))
        #expect(help.output.contains("auth.ENTRY.apiKeys.file"))
    }

    @Test("Only a last argument with dots may be repeated")
    func repeatedArguments() throws {
        var command = CommandSpecification(name: "a", summary: "", flags: [], positionals: ["NAME", "[URL]"])
        #expect(throws: UsageError(message: "unexpected argument 'c'")) {
            try ProgramArguments(["a", "b", "c"], for: command, environment: [:])
        }
        command.positionals = ["NAME", "[URL ...]"]
        let arguments = try ProgramArguments(["a", "b", "c", "d"], for: command, environment: [:])
        #expect(arguments.positionals == ["a", "b", "c", "d"])
    }
}
