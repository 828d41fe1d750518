import ASCIIText
import EndpointPlans
import HTTPModel
import Networking

/// Checks the files as a whole.
struct DocumentCheck {
    /// The most upstream calls of one request without a warning. More are likely a mistake.
    static let manyCalls = 100

    let document: ConfigDocument
    let files: ConfigFiles
    /// The places of the upstreams' names.
    let upstreams: [String: ConfigPlace]
    let reader: ConfigReader

    func run() {
        checkRoutes()
        checkHealthPaths()
        AccessCheck(document, reader).run()
        warnOfUnusedUpstreams()
        warnOfManyCalls()
        warnOfNothingToServe()
        warnOfSettingsWithoutEffect()
    }

    // MARK: Routes

    /// The same path has one route, whatever its parameters are called. Two items are reported once, at the
    /// second in the file, also if they have several methods in common.
    private func checkRoutes() {
        let endpoints = document.endpoints.map { ($0.method.rawValue, $0.path.value, $0.place) }
        let proxies = document.proxies.flatMap { proxy in
            methods(of: proxy).map { ($0.rawValue, proxy.path.value, proxy.place) }
        }
        var known: [String: ConfigPlace] = [:]
        var reported: Set<[ConfigPlace]> = []
        for (method, path, place) in (endpoints + proxies).sorted(by: { $0.2 < $1.2 }) where !path.isUnknown {
            let segments = path.segments.map { segment in
                switch segment {
                case .literal(let bytes): "/" + String(decoding: bytes, as: UTF8.self)
                case .parameter: "/{}"
                case .rest: "/{...}"
                }
            }
            let route = method + segments.joined()
            guard let first = known[route] else {
                known[route] = place
                continue
            }
            guard reported.insert([first, place]).inserted else { continue }
            reader.error(
                "\(method) \(Shown.text(path.shown)) is declared twice; first at \(document.text(of: first))",
                at: place)
        }
    }

    /// The methods that are known: one that a variable sets is not in a static check.
    private func methods(of proxy: PlannedProxy) -> [PlannedProxy.Method] {
        guard let methods = proxy.methods else { return PlannedProxy.Method.allCases }
        return methods.filter { !reader.unread.contains($0.place) }.map(\.value)
    }

    /// The gateway answers its health paths before it looks for an endpoint.
    private func checkHealthPaths() {
        let paths =
            document.endpoints.map { ($0.path.value, $0.place) }
            + document.proxies.map { ($0.path.value, $0.place) }
        for (path, place) in paths where !path.isUnknown {
            guard let conflict = path.segments.conflict(with: HealthPath.all, Shown.text(path.shown)) else {
                continue
            }
            if conflict.neverRuns {
                reader.error(conflict.message, at: place)
            } else {
                reader.problems.warning(conflict.message, at: place)
            }
        }
    }

    // MARK: Warnings

    private func warnOfUnusedUpstreams() {
        // An endpoint with an error may call an upstream unnoticed.
        guard files.isComplete, !reader.usesUnknownUpstream, !reader.hasOtherEndpoints,
            reader.problems.errorCount == 0
        else { return }
        for (name, place) in upstreams where !reader.usedUpstreams.contains(name) {
            reader.problems.warning("no endpoint calls the upstream \"\(Shown.text(name))\"", at: place)
        }
    }

    private func warnOfNothingToServe() {
        guard files.isComplete, !reader.hasOtherEndpoints, reader.problems.errorCount == 0,
            document.endpoints.isEmpty, document.proxies.isEmpty, !document.changes.has("public")
        else { return }
        reader.problems.warning("there are no endpoints, so nothing is served", at: .start(of: 0))
    }

    private func warnOfSettingsWithoutEffect() {
        guard reader.problems.errorCount == 0 else { return }
        if document.settings.compression == nil, !document.changes.isUnknown("compression") {
            let settings = (document.endpoints.map(\.settings) + document.proxies.map(\.settings)).map(
                \.$compression)
            // Several endpoints share the value in `defaults`.
            for place in Set(settings.compactMap { $0?.value == true ? $0?.place : nil })
            where !reader.unread.contains(place) {
                reader.problems.warning(
                    "compression: on has no effect while the file's own compression is off",
                    at: place)
            }
        }
        guard !reader.usesUnknownUpstream else { return }
        let withMessages = Set(
            document.upstreams.filter { upstream in
                upstream.settings.envelope.hasMessages || upstream.changes.isUnknown("envelope")
            }.map(\.name.value))
        for endpoint in document.endpoints {
            guard let reveals = endpoint.$revealsMessages, reveals.value,
                !reader.unread.contains(reveals.place),
                withMessages.isDisjoint(with: endpoint.calls.map(\.upstream.value))
            else { continue }
            reader.problems.warning(
                "revealMessages has no effect: no upstream that this endpoint calls has an envelope with a message",
                at: reveals.place)
        }
    }

    private func warnOfManyCalls() {
        var attempts: [String: Int] = [:]
        for upstream in document.upstreams { attempts[upstream.name.value] = upstream.attempts?.value }
        for endpoint in document.endpoints {
            let calls = CallCount(attempts: attempts).most(of: endpoint)
            guard calls > Self.manyCalls else { continue }
            reader.problems.warning(
                "one request makes up to \(calls) upstream calls, with retries", at: endpoint.place)
        }
    }
}

/// The most upstream calls of a request: attempts times items.
struct CallCount {
    static let defaultAttempts = CallRetryPolicy().maxAttempts

    /// The attempts that upstreams set, by name.
    let attempts: [String: Int]

    func most(of endpoint: PlannedEndpoint) -> Int {
        endpoint.calls.reduce(0) { $0 + most(of: $1) }
    }

    private func most(of call: PlannedCall) -> Int {
        let items = call.items.map { $0.limit ?? PlannedItems.standardLimit } ?? 1
        guard call.method.isIdempotent else { return items }
        return items * (call.attempts ?? attempts[call.upstream.value] ?? Self.defaultAttempts)
    }
}
