import ASCIIText
package import EndpointPlans

extension ConfigDocument {
    /// Whether a value has a variable in it, so that output must not show it.
    package func isSubstituted(_ place: ConfigPlace) -> Bool {
        variableTexts[place] != nil || variableComposites.contains(place)
    }

    /// Returns a text as the file has it.
    func written(_ text: Located<String>) -> String { variableTexts[text.place] ?? text.value }

    /// Returns a text with references as the file has it.
    func written(_ template: Located<PlannedText>) -> String {
        if let text = variableTexts[template.place] { return text }
        return template.value.pieces.reduce(into: "") { text, piece in
            switch piece {
            case .text(let piece): text += piece
            case .reference(let reference): text += reference.text
            }
        }
    }
}

extension ConfigDocument {
    /// An item of `endpoints`.
    enum Item {
        case endpoint(PlannedEndpoint)
        case proxy(PlannedProxy)
    }

    /// The endpoints of both kinds, in the order of the files.
    var items: [Item] {
        var items: [Item] = []
        items.reserveCapacity(endpoints.count + proxies.count)
        var next = 0
        for proxy in proxies {
            items += endpoints[next..<proxy.precedingEndpoints].map { .endpoint($0) }
            items.append(.proxy(proxy))
            next = proxy.precedingEndpoints
        }
        return items + endpoints[next...].map { .endpoint($0) }
    }

    /// Returns a method as the file has it.
    func written(_ method: Located<PlannedProxy.Method>) -> String {
        variableTexts[method.place] ?? method.value.rawValue
    }

    /// The methods that pass, as the file has them.
    func methods(of proxy: PlannedProxy) -> [String] {
        proxy.methods?.map(written) ?? PlannedProxy.Method.allCases.map(\.rawValue)
    }

    /// Returns what an item is called: one method and path, or several for a proxy.
    func titles(of item: Item) -> [String] {
        switch item {
        case .endpoint(let endpoint): [endpoint.title]
        case .proxy(let proxy): methods(of: proxy).map { "\($0) \(proxy.path.value.shown)" }
        }
    }
}

extension EndpointPath {
    /// The parameters, in their order. A path with a variable that is not read has them only in its text,
    /// because the value of a variable adds none.
    var shownParameters: [String] {
        isUnknown ? shown.split(separator: "/").compactMap { Self.parameter($0) } : parameters
    }

    /// The name of the parameter for the rest of a path.
    var restName: String? {
        guard shown.hasSuffix("...}") else { return nil }
        return shown.split(separator: "/").last.flatMap(Self.parameter)
    }

    /// Returns the parameter that a segment is.
    static func parameter(_ segment: Substring) -> String? {
        guard segment.utf8.first == Byte.openBrace, segment.utf8.last == Byte.closeBrace else { return nil }
        let name = segment.dropFirst().dropLast()
        // A variable in a name has braces of its own.
        guard !name.utf8.contains(Byte.openBrace) else { return nil }
        return String(name.hasSuffix("...") ? name.dropLast(3) : name)
    }
}

extension PlannedEndpoint {
    /// The method and the path as the file has it: `GET /v1/profile/{id}`.
    var title: String { "\(method) \(path.value.shown)" }
}
