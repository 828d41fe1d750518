import EndpointPlans
import GatewayCore

/// The calls of an endpoint whose requests pass through. Bodies may take any time, so only the time until a
/// response begins has a limit.
package struct ProxyReport: Sendable {
    /// Methods whose requests make the same number of calls.
    package struct Row: Sendable {
        package var methods: [String]
        package let calls: CallRange
    }

    /// The methods that pass, as the file has them.
    package let methods: [String]
    /// As the file has it.
    package let path: String
    /// The name of the file.
    package let file: String
    package let line: Int
    package let upstream: String
    /// The place at the upstream, with the parameter for the rest of the request's path:
    /// `/pictures/{path...}`.
    package let upstreamPath: String
    package let rows: [Row]
    /// Nanoseconds that an attempt waits for the first byte of a response.
    package let firstByte: ReportNumber
    /// Nanoseconds until the response begins, with all attempts.
    package let deadline: ReportNumber
    /// The calls of one request, whatever its method.
    package let calls: CallRange
    /// The upstreams that get `Authorization`, as the file has them.
    package let authorization: [String]
    /// The upstreams that get `Cookie`.
    package let cookies: [String]
    /// Who may call, and how often.
    package let access: RequirementReport

    init(_ proxy: PlannedProxy, _ document: ConfigDocument) {
        let costs = CallCosts(document)
        methods = document.methods(of: proxy)
        path = proxy.path.value.shown
        file = document.fileName(of: proxy.place)
        line = proxy.place.line
        upstream = document.written(proxy.upstream)
        upstreamPath = Self.upstreamPath(of: proxy, document)
        var rows: [Row] = []
        for (index, method) in proxy.usedMethods.enumerated() {
            let isKnown = proxy.methods.map { !document.isSubstituted($0[index].place) } ?? true
            let calls = costs.calls(of: proxy, isKnown ? method.httpMethod : nil)
            if let row = rows.firstIndex(where: { $0.calls == calls }) {
                rows[row].methods.append(methods[index])
            } else {
                rows.append(Row(methods: [methods[index]], calls: calls))
            }
        }
        self.rows = rows
        firstByte = costs.firstByte(of: proxy)
        deadline = costs.number(
            proxy.settings.$deadline ?? document.deadline,
            default: GatewayLimits().deadline.inNanoseconds)
        access = RequirementReport(proxy.settings, costs, document)
        let passed = CallRange(
            least: access.rows.isEmpty ? 1 : 0,
            most: rows.map(\.calls.most).reduce(ReportNumber(1)) { $1.exceeds($0) ? $1 : $0 })
        calls = access.calls + passed
        authorization = proxy.settings.credentials.map(document.written)
        cookies = proxy.settings.cookies.map(document.written)
    }

    private static func upstreamPath(of proxy: PlannedProxy, _ document: ConfigDocument) -> String {
        var path = proxy.upstreamPath.map(document.written) ?? ""
        if path.hasSuffix("/") { path.removeLast() }
        guard let rest = proxy.path.value.restName else { return path.isEmpty ? "/" : path }
        return "\(path)/{\(rest)...}"
    }
}
