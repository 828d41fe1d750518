import EndpointPlans

/// Finds the middleware and the style for requests that no endpoint takes, so that nothing is answered around
/// a check.
struct UnmatchedRoutes: Sendable {
    private struct Group: Sendable {
        let segments: [PathTemplate.Segment]
        let match: EndpointMatch
    }

    /// The gateway and its groups with a prefix; those with the most specific prefix first, and of equal ones
    /// that with the most checks.
    private let groups: [Group]
    /// The number of these requests among the endpoints.
    private let number: Int
    private let gatewayFormat: EnvelopeFormat?

    /// Returns nil if all these requests are answered in the gateway's style and without middleware.
    ///
    /// - Parameters:
    ///   - scopes: the gateway and its groups, each with an endpoint of its prefix, options and middleware.
    ///   - endpoints: all endpoints, whose middleware runs for other methods.
    ///   - number: the number that these requests have among the endpoints.
    ///   - gatewayFormat: the gateway's style.
    init?(_ scopes: [Endpoint], endpoints: [Endpoint], number: Int, gatewayFormat: EnvelopeFormat?) {
        guard (scopes + endpoints).contains(where: { Self.isSpecial($0, gatewayFormat) }) else { return nil }
        self.number = number
        self.gatewayFormat = gatewayFormat
        groups = scopes.enumerated().sorted { one, other in
            Self.precedes(one.element, other.element) ?? (one.offset < other.offset)
        }.map { Group(segments: $0.element.template.segments, match: EndpointMatch($0.element)) }
    }

    private static func isSpecial(_ endpoint: Endpoint, _ gatewayFormat: EnvelopeFormat?) -> Bool {
        endpoint.hasMiddleware || endpoint.settings.format !== gatewayFormat
    }

    /// Prefers, as the router does, a literal to a parameter, segment by segment; then the longer prefix,
    /// then more checks.
    private static func precedes(_ one: Endpoint, _ other: Endpoint) -> Bool? {
        for (left, right) in zip(one.template.segments, other.template.segments) {
            switch (left, right) {
            case (.literal, .parameter): return true
            case (.parameter, .literal): return false
            case (.literal, .literal), (.parameter, .parameter), (.rest, _), (_, .rest): continue
            }
        }
        let (left, right) = (one.template.segments.count, other.template.segments.count)
        if left != right { return left > right }
        return one.before.count == other.before.count ? nil : one.before.count > other.before.count
    }

    /// Returns the match for a path without an endpoint; nil if the gateway answers it itself.
    func match(_ path: DecodedPath, _ substitute: EndpointMatch.Substitute) -> EndpointMatch? {
        let segments = path.bytes.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for group in groups {
            guard let parameters = Self.parameters(of: group.segments, in: segments) else { continue }
            guard Self.isSpecial(group.match.endpoint, gatewayFormat) else { return nil }
            return group.match.with(PathParameters(path.bytes, parameters)).with(substitute, number: number)
        }
        return nil
    }

    /// Returns the match for a path whose endpoint has another method; nil if the gateway answers it itself.
    func match(_ other: EndpointMatch, _ substitute: EndpointMatch.Substitute) -> EndpointMatch? {
        Self.isSpecial(other.endpoint, gatewayFormat) ? other.with(substitute, number: number) : nil
    }

    /// Returns the places of the segments that the parameters of a prefix match; nil if the path does not
    /// begin with the prefix.
    private static func parameters(
        of prefix: [PathTemplate.Segment], in path: [ArraySlice<UInt8>]
    ) -> [Range<Int>]? {
        guard path.count >= prefix.count else { return nil }
        var parameters: [Range<Int>] = []
        for (segment, bytes) in zip(prefix, path) {
            switch segment {
            case .literal(let literal):
                if !literal.elementsEqual(bytes) { return nil }
            case .parameter:
                parameters.append(bytes.indices)
            case .rest:
                // A prefix has none: `GatewayRoutes` refuses it.
                return nil
            }
        }
        return parameters
    }
}
