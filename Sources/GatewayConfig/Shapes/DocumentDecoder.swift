import ASCIIText
import EndpointPlans

/// Decodes the files of a configuration.
struct DocumentDecoder {
    let root: YAMLNode
    let reader: ConfigReader

    private static let file = Subject("the file")

    /// Reads the files that the root file includes.
    func include(_ files: inout ConfigFiles) {
        guard case .map(let map) = root.content, let member = map[DocumentShape.include.name] else { return }
        let subject = Subject(member.name)
        let errors = reader.problems.errorCount
        if let patterns = DocumentShape.include.type.read(member.value, subject, reader) {
            files.include(patterns)
        }
        if reader.problems.errorCount > errors { files.isComplete = false }
    }

    /// Decodes all files.
    func decode(_ files: ConfigFiles, into document: inout ConfigDocument) {
        let upstreams = declared(files, DocumentShape.upstreams.name, "upstream")
        let schemas = declared(files, DocumentShape.schemas.name, "schema")
        if files.isComplete {
            reader.upstreamNames = Self.names(upstreams)
            reader.schemas?.schemaNames = Self.names(schemas)
        }
        reader.authNames = names(DocumentShape.auth.name)
        reader.limitNames = names(DocumentShape.rateLimits.name)
        reader.storeNames = names(DocumentShape.stores.name)
        var opened: [ShapeValues] = []
        var defaults: ShapeValues?
        for (file, node) in files.roots {
            let shape = file == 0 ? DocumentShape.shape : DocumentShape.included
            guard let values = shape.open(node, Self.file, reader) else { continue }
            if file == 0 {
                document.changes = SettingTable.file.changes(values) ?? document.changes
                document.stores = values.read(DocumentShape.stores) ?? []
                document.auth = values.read(DocumentShape.auth) ?? []
                document.rateLimits = values.read(DocumentShape.rateLimits) ?? []
                defaults = values.node(DocumentShape.defaults).flatMap(openDefaults)
            }
            opened.append(values)
        }
        if let root = opened.first, files.roots.first?.file == 0 {
            reader.schemas?.settings = root.read(DocumentShape.jsonSchema) ?? SchemaSettings()
        }
        reader.schemas?.declare(opened.flatMap(Self.schemas))
        for values in opened {
            document.upstreams += (values.read(DocumentShape.upstreams) ?? []).filter {
                upstreams[$0.name.value] == $0.name.place
            }
            document.schemas += (values.read(DocumentShape.schemas) ?? []).filter {
                schemas[$0.name.value] == $0.name.place
            }
        }
        for values in opened { decodeEndpoints(values, defaults, into: &document) }
        DocumentCheck(document: document, files: files, upstreams: upstreams, reader: reader).run()
    }

    private static func schemas(_ values: ShapeValues) -> [(name: String, node: YAMLNode)] {
        guard case .map(let map)? = values.node(DocumentShape.schemas)?.content else { return [] }
        return map.members.map { ($0.name, $0.value) }
    }

    private static func names(_ places: [String: ConfigPlace]) -> NameList {
        NameList(places.sorted { $0.value < $1.value }.map(\.key))
    }

    /// Returns the names that a member of the root file declares, valid or not.
    private func names(_ member: String) -> NameList {
        guard case .map(let map) = root.content, case .map(let inner)? = map[member]?.value.content else {
            return NameList()
        }
        return NameList(inner.members.map(\.name))
    }

    private func openDefaults(_ node: YAMLNode) -> ShapeValues? {
        DefaultsShape.shape.open(node, Subject(DocumentShape.defaults.name), reader)
    }

    /// Returns the names that the files declare, with their first places. Reports repeated ones.
    private func declared(_ files: ConfigFiles, _ member: String, _ kind: String) -> [String: ConfigPlace] {
        var names: [String: ConfigPlace] = [:]
        for (_, node) in files.roots {
            guard case .map(let map) = node.content, case .map(let inner)? = map[member]?.value.content else {
                continue
            }
            for member in inner.members {
                guard let first = names[member.name] else {
                    names[member.name] = member.namePlace
                    continue
                }
                // An anchor in one file cannot repeat a name, so the places differ.
                reader.error(
                    "the \(kind) \"\(Shown.text(member.name))\" is declared twice; first at "
                        + "\(files.names[first.file]):\(first.line):\(first.column)", at: member.namePlace)
            }
        }
        return names
    }

    private func decodeEndpoints(
        _ values: ShapeValues, _ defaults: ShapeValues?, into document: inout ConfigDocument
    ) {
        guard let node = values.node(DocumentShape.endpoints),
            let items = reader.list(node, Subject(DocumentShape.endpoints.name))
        else { return }
        for item in items {
            // No other endpoint names an upstream, so a misspelt `proxy` is told as such.
            let isProxy =
                if case .map(let map) = item.content {
                    map[ProxyShape.proxy.name] != nil || map[ProxyShape.upstream.name] != nil
                } else { false }
            let shape = isProxy ? ProxyShape.shape : EndpointShape.shape
            guard let values = shape.open(item, Subject("an endpoint"), reader) else { continue }
            if isProxy {
                guard var proxy = ProxyDecoder(values: values, defaults: defaults).decode() else { continue }
                proxy.precedingEndpoints = document.endpoints.count
                document.proxies.append(proxy)
            } else if let endpoint = EndpointDecoder(values: values, defaults: defaults).decode() {
                document.endpoints.append(endpoint)
            }
        }
    }
}
