/// A command of a program: its flags and its help.
package struct CommandSpecification {
    /// Empty for the command of a program that has no others.
    package var name: String
    package var summary: String
    package var flags: [ProgramFlag]
    /// The arguments without a flag that the command takes, in their order: `FILE`, `[URL]`. The last one may
    /// be repeated if it ends with `...]`.
    package var positionals: [String]
    /// Flags that the command had once, by name, with what to do instead.
    package var retired: [String: String] = [:]
    /// Text below the flags.
    package var footer = ""

    package init(name: String, summary: String, flags: [ProgramFlag], positionals: [String] = []) {
        self.name = name
        self.summary = summary
        self.flags = flags
        self.positionals = positionals
    }

    /// Returns the help, for a program with this name.
    package func help(of program: String) -> String {
        let flagsText = flags.isEmpty ? "" : " [FLAGS]"
        let command = name.isEmpty ? "" : " \(name)"
        let arguments = positionals.map { " \($0)" }.joined()
        var text = "usage: \(program)\(command)\(flagsText)\(arguments)\n\n\(summary)\n\n"
        let heads = flags.map { "--\($0.name) \($0.placeholder)" }
        let width = (heads.map(\.count).max() ?? 0) + 2
        for (flag, head) in zip(flags, heads) {
            text += "  \(Self.padded(head, to: width))\(flag.help)\n"
            let fallback = flag.fallback.map { "default: \($0); " } ?? ""
            text += "  \(Self.padded("", to: width))\(fallback)variable: \(flag.environmentName)\n"
        }
        return text + footer
    }

    /// Whether the command takes so many arguments without a flag.
    func takes(_ count: Int) -> Bool {
        count <= positionals.count || positionals.last?.hasSuffix("...]") == true
    }

    package static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}

extension CommandSpecification {
    /// Runs the command with the words that follow its name, or prints its help. Returns the exit code.
    ///
    /// - Parameters:
    ///   - words: flags and arguments.
    ///   - environment: the values of flags that are not among the words.
    ///   - program: the program's name, for help and complaints.
    ///   - body: the command itself.
    package func run(
        _ words: some Collection<String>, environment: [String: String], of program: String,
        _ body: (ProgramArguments) throws(UsageError) -> Int32
    ) -> Int32 {
        if words.contains("--help") || words.contains("-h") {
            Announcement.print(help(of: program))
            return 0
        }
        do throws(UsageError) {
            return try body(try ProgramArguments(words, for: self, environment: environment))
        } catch {
            guard !error.isAboutFile else {
                Announcement.complain(error.message, by: program)
                return 1
            }
            let command = name.isEmpty ? program : "\(program) \(name)"
            Announcement.complain("\(error.message); run '\(command) --help' to list the flags", by: program)
            return 2
        }
    }
}
