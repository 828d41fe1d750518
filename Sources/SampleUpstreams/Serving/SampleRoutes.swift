internal import HTTPModel
internal import JSONBytes

/// The routes of all sample APIs and of the server itself.
struct SampleRoutes: Sendable {
    fileprivate struct Entry: Sendable {
        let route: SampleRoute
        let refuse: @Sendable (Refusal) -> HTTPResponse
    }

    private static let apis: [any SampleAPI.Type] = [
        DiaryAPI.self, WeatherAPI.self, PlacesAPI.self, UsersAPI.self, TagsAPI.self,
    ]

    private let entries: [Entry]

    init(faults: FaultBoard) {
        let own = ControlRoutes.routes(faults).map { route in
            Entry(route: route) { GenericResponse.failure($0.status, $0.message) }
        }
        entries = own + Self.apis.flatMap(Self.entries)
    }

    private static func entries(of api: any SampleAPI.Type) -> [Entry] {
        api.routes.map { Entry(route: $0, refuse: { api.answer(to: $0) }) }
    }

    /// The routes of one path, with the values in the path.
    final class Resource {
        private let entries: [Entry]
        private let values: [String]

        fileprivate init(_ entries: [Entry], values: [String]) {
            self.entries = entries
            self.values = values
        }

        var methods: [HTTPMethod] { entries.map(\.route.method) }

        func bodyLimit(_ method: HTTPMethod) -> Int? {
            entries.first { $0.route.method == method }?.route.bodyLimit
        }

        /// Returns how a request is answered. An invalid one gets the refusal of its API.
        func read(_ request: ReceivedRequest, _ visitor: SampleVisitor?) -> SampleCall? {
            let head = request.head
            guard let entry = entries.first(where: { $0.route.method == head.method }) else { return nil }
            let input = SampleInput(
                values: values, query: QueryItems(head.target.queryBytes), fields: head.fields,
                body: request.body, visitor: visitor)
            do throws(Refusal) {
                return try entry.route.read(input)
            } catch {
                return .respond(entry.refuse(error))
            }
        }
    }

    /// Returns the routes of a path; nil if there are none.
    func resource(_ target: RequestTarget) -> Resource? {
        guard target.form == .origin || target.form == .absolute else { return nil }
        var path: [String] = []
        for part in target.pathBytes.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false) {
            guard let segment = try? PercentEncoding.decodeSegment(part) else { return nil }
            path.append(segment)
        }
        var found: [Entry] = []
        var values: [String] = []
        for entry in entries {
            guard let matched = entry.route.values(in: path) else { continue }
            found.append(entry)
            values = matched
        }
        return found.isEmpty ? nil : Resource(found, values: values)
    }

    var methods: [HTTPMethod] {
        entries.reduce(into: []) { methods, entry in
            if !methods.contains(entry.route.method) { methods.append(entry.route.method) }
        }
    }
}

/// The server's own routes for faults and health, which no fault affects.
private enum ControlRoutes {
    static func routes(_ faults: FaultBoard) -> [SampleRoute] {
        [
            SampleRoute(.get, "/faults") { .respond(answer(faults, $0)) },
            SampleRoute(.put, "/faults") { (input) throws(Refusal) in
                do throws(FaultError) {
                    try faults.set(document: input.body, for: input.visitor)
                } catch {
                    throw Refusal(error.description)
                }
                return .respond(answer(faults, input))
            },
            // A server that answers is both live and ready.
            SampleRoute(.get, "/health/{live|ready}") { _ in .respond(HTTPResponse(status: .noContent)) },
        ]
    }

    private static func answer(_ faults: FaultBoard, _ input: SampleInput) -> HTTPResponse {
        GenericResponse.success { $0.fragment(faults.list(for: input.visitor)) }
    }
}
