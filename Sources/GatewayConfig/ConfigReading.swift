import EventIO

/// What reading a configuration gives: its values, or what is wrong with it.
package struct ConfigReading: Sendable {
    package enum Mode: Sendable {
        /// Reads variables and secrets.
        case serving
        /// Like `serving`, for a file together with endpoints in Swift. These may call upstreams that the
        /// file's endpoints do not call.
        case servingBesideSwift
        /// Reads neither variables nor secrets nor files of keys. A value with a variable is unknown and fits
        /// any type.
        case staticCheck
    }

    /// Nil if there is an error. After a static check, texts with variables stay as in the file, and other
    /// unknown values are the least that are allowed.
    package let document: ConfigDocument?
    /// In the order of the files and the places in them.
    package let problems: [ConfigProblem]
    /// The files that were read, secrets, and files of keys. A change of one changes the configuration.
    package let paths: [String]

    /// Reads the root file and those that it includes, and checks them. Blocks while it reads.
    ///
    /// - Parameters:
    ///   - path: the root file.
    ///   - source: where files and variables come from.
    ///   - mode: whether variables are read.
    package static func read(
        _ path: String, from source: any ConfigSource = SystemConfigSource(), mode: Mode = .serving
    ) -> ConfigReading {
        let problems = ProblemList()
        let variables = VariableReader(source, isStatic: mode == .staticCheck, problems: problems)
        var files = ConfigFiles(source, variables, problems)
        let root = files.readRoot(path)
        let reader = ConfigReader(problems: problems)
        reader.hasOtherEndpoints = mode == .servingBesideSwift
        reader.files = mode == .staticCheck ? nil : source
        var document = ConfigDocument()
        if let root {
            let decoder = DocumentDecoder(root: root, reader: reader)
            decoder.include(&files)
            document.files = files.names
            document.variableTexts = variables.writtenTexts
            document.variableValues = variables.values
            reader.variableValues = variables.values
            if mode == .staticCheck { reader.unread = Set(document.variableTexts.keys) }
            let schemas = SchemaLibrary(source, problems, files: files)
            schemas.redacted = { Redaction.redact($0, variables.values) }
            reader.schemas = schemas
            decoder.decode(files, into: &document)
            document.files = schemas.names
            document.hash = files.digest.finishHexadecimal()
            document.variableComposites = reader.variableComposites
        }
        return ConfigReading(
            document: root == nil || problems.errorCount > 0 ? nil : document,
            problems: problems.sorted(files: reader.schemas?.names ?? files.names),
            paths: (reader.schemas?.names ?? files.names) + variables.paths + reader.readPaths)
    }
}
