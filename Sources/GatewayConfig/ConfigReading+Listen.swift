extension ConfigReading {
    /// Reads where a file's gateway listens. The document has `listen` alone. Blocks while it reads.
    ///
    /// A check of a running gateway needs its address and must not fail for another reason. So only the root
    /// file is read, and only the variables and secrets in `listen`. In the rest of the file only syntax
    /// errors are reported.
    ///
    /// - Parameters:
    ///   - path: the root file.
    ///   - source: where the file and variables come from.
    package static func listen(
        of path: String, from source: any ConfigSource = SystemConfigSource()
    ) -> ConfigReading {
        let problems = ProblemList()
        let variables = VariableReader(source, isStatic: false, problems: problems)
        var document = ConfigDocument()
        document.files = [path]
        if let bytes = ConfigFiles.rootBytes(path, source, problems),
            let listen = listen(in: bytes, variables, problems)
        {
            document.changes = listen
        }
        return ConfigReading(
            document: problems.errorCount > 0 ? nil : document, problems: problems.sorted(files: [path]),
            paths: [path] + variables.paths)
    }

    private static func listen(
        in bytes: [UInt8], _ variables: VariableReader, _ problems: ProblemList
    ) -> SettingChanges<GatewayServerConfiguration>? {
        let found = ProblemList()
        var composer = YAMLComposer(file: 0, problems: found)
        guard let root = composer.compose(bytes) else {
            problems.add(found)
            return nil
        }
        let reader = ConfigReader(problems: problems)
        guard let map = reader.map(root, Subject(DocumentShape.shape.title)),
            let node = map[SettingTable.listen.shape.title]?.value
        else { return nil }
        // Only the composer can tell what is wrong with a value that it refused.
        if node.hasInvalidValue { problems.add(found) }
        let value = node.substituted(variables)
        reader.variableValues = variables.values
        return SettingTable.file.changes(SettingTable.listen.shape.title, value, reader)
    }
}

extension YAMLNode {
    /// Whether a problem has been reported about a value in it.
    fileprivate var hasInvalidValue: Bool {
        switch content {
        case .invalid: true
        case .scalar: false
        case .list(let items): items.contains(where: \.hasInvalidValue)
        case .map(let map): map.members.contains { $0.value.hasInvalidValue }
        }
    }

    /// Returns the node with the values of its variables. The depth of a file bounds the recursion.
    fileprivate func substituted(_ variables: VariableReader) -> YAMLNode {
        switch content {
        case .invalid: self
        case .scalar(let scalar):
            YAMLNode(
                variables.scalar(scalar.text, scalar.style, at: place).map { .scalar($0) } ?? .invalid,
                at: place)
        case .list(let items):
            YAMLNode(
                .list(items.map { $0.substituted(variables) }), at: place, size: size, height: height)
        case .map(let map):
            YAMLNode(
                .map(
                    YAMLMap(
                        members: map.members.map {
                            YAMLMember(
                                name: $0.name, namePlace: $0.namePlace,
                                value: $0.value.substituted(variables))
                        }, isFlow: map.isFlow)), at: place, size: size, height: height)
        }
    }
}
