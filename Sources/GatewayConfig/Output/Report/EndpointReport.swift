import ASCIIText
import EndpointPlans

/// What an item of `endpoints` asks upstreams for.
package enum EndpointReport: Sendable {
    case calls(CallReport)
    case proxy(ProxyReport)
}

/// An endpoint that is named on the command line and that the file does not have.
package struct UnknownEndpoint: Error, Sendable, CustomStringConvertible {
    package let description: String
}

extension EndpointReport {
    /// Returns the plans of all endpoints in the order of the files, or of the named one.
    ///
    /// - Parameters:
    ///   - document: the configuration.
    ///   - name: a method and a path as the file has it: `GET /v1/profile/{id}`. One method of a proxy names
    ///     it.
    package static func plans(
        of document: ConfigDocument, only name: String? = nil
    ) throws(UnknownEndpoint) -> [EndpointReport] {
        let items = document.items
        guard let name else { return items.map { EndpointReport($0, document) } }
        let words = name.split(separator: " ", maxSplits: 1)
        let title = words.count == 2 ? "\(words[0].uppercased()) \(words[1])" : name
        guard let item = items.first(where: { document.titles(of: $0).contains(title) }) else {
            throw UnknownEndpoint(
                description: "there is no endpoint \"\(Shown.text(name))\""
                    + Suggestion.text(for: title, among: items.flatMap(document.titles)))
        }
        return [EndpointReport(item, document)]
    }

    private init(_ item: ConfigDocument.Item, _ document: ConfigDocument) {
        self =
            switch item {
            case .endpoint(let endpoint): .calls(CallReport(endpoint, document))
            case .proxy(let proxy): .proxy(ProxyReport(proxy, document))
            }
    }
}
