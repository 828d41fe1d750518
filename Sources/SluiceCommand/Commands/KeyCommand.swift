import AccessControl
import GatewayHTTP
import JSONBytes

/// Makes an API key, and the line that admits it.
enum KeyCommand {
    static let specification: CommandSpecification = {
        var command = CommandSpecification(
            name: "key", summary: "print a new API key, and below it the line for the file of keys",
            flags: [], positionals: ["NAME", "[CLAIM=VALUE ...]"])
        command.footer = """
            The caller gets the key, which is printed once and stored nowhere. The line belongs in the file that
            auth.ENTRY.apiKeys.file names. It has the SHA-256 of the key, from which nobody can find the key.
            A caller with two lines of the same NAME may use either key: add a line, let the caller change
            keys, remove the old line, and reload the gateway after each step.

            NAME is 1 to 128 letters, digits and any of -._@:/+ and becomes the claim sub. A claim is text, or a
            number, true, false or a list in JSON:

              sluice key phone
              sluice key partner plan=pro scope='read write' 'roles=["buyer","seller"]'

            """
        return command
    }()

    static func run(_ arguments: ProgramArguments) throws(UsageError) -> Int32 {
        Announcement.print(try output(arguments.positionals))
        return 0
    }

    /// Returns two lines: the key, and below it the line for the file.
    ///
    /// - Parameters:
    ///   - words: the name, and claims such as `plan=pro`.
    ///   - random: 32 bytes; nil for random ones.
    static func output(_ words: [String], random: [UInt8]? = nil) throws(UsageError) -> String {
        guard let name = words.first else {
            throw UsageError(message: "key needs the name of its caller: sluice key phone")
        }
        do throws(APIKeyFault) {
            let made = try APIKeyMaker.make(name: name, claims: words.dropFirst().map(quoted), random: random)
            return "\(made.key)\n\(made.line)\n"
        } catch {
            throw UsageError(message: error.reason)
        }
    }

    /// Puts quotes around text with blanks, which a shell took off: `scope="read write"`.
    private static func quoted(_ claim: String) -> String {
        guard let equals = claim.firstIndex(of: "=") else { return claim }
        let value = claim[claim.index(after: equals)...]
        guard value.contains(where: { $0 == " " || $0 == "\t" }), !isJSON(value) else { return claim }
        return claim[...equals] + JSONFragment(string: String(value)).description
    }

    private static func isJSON(_ text: Substring) -> Bool {
        (try? JSONFragment(validating: Array(text.utf8)[...])) != nil
    }
}
