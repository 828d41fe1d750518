import ASCIIText
import EndpointPlans
import GatewayCore
import HTTPModel

/// Who may call an endpoint and how often, as the file has it, and what it costs to find out.
package struct RequirementReport: Sendable {
    /// The entries of `auth`, any of which admits. Empty: everyone may call.
    package let entries: [String]
    package let scopes: [String]
    package let claims: [(name: String, values: [String])]
    /// Whether a request without a credential is admitted, too.
    package let isOptional: Bool
    package let rateLimits: [String]
    /// The calls of services that decide. A request asks at most one of them.
    package let rows: [ReportRow]

    init(_ settings: PlannedSettings, _ costs: CallCosts, _ document: ConfigDocument) {
        let requirement = settings.requirement
        entries = requirement?.entries.map(document.written) ?? []
        scopes = requirement?.scopes.map(document.written) ?? []
        claims =
            requirement?.claims.map { ($0.name.value, $0.values.map(document.written)) } ?? []
        isOptional = requirement?.isOptional ?? false
        rateLimits = settings.limits.map(document.written)
        let named = (requirement?.entries ?? []).filter { !document.isSubstituted($0.place) }
        let known = Set(named.map(\.value))
        let isCertain = entries.count == 1 && !isOptional
        rows = document.auth.filter { known.contains($0.name.value) }.compactMap { entry in
            guard case .authorize(let authorizer) = entry.method else { return nil }
            return costs.row(of: entry, authorizer, isCertain: isCertain)
        }
    }

    /// Nanoseconds until it is known who calls.
    var time: ReportNumber { rows.reduce(.zero) { $1.time.exceeds($0) ? $1.time : $0 } }

    /// The call that takes the longest.
    var slowest: [String] { rows.first { $0.time == time }.map { [$0.name] } ?? [] }

    var calls: CallRange {
        CallRange(
            least: rows.map(\.calls.least).min() ?? 0,
            most: rows.map(\.calls.most).reduce(.zero) { $1.exceeds($0) ? $1 : $0 })
    }

    /// Whether nothing limits who calls, and how often.
    var isOpen: Bool { entries.isEmpty && rateLimits.isEmpty }

    /// `requires mobile or web, scope read, claim plan: pro or team`; nothing without a requirement.
    var requirementText: String? {
        guard !entries.isEmpty else { return nil }
        var parts = ["requires \(Words.list(entries + (isOptional ? ["no credential"] : [])))"]
        if !scopes.isEmpty {
            parts.append("\(scopes.count == 1 ? "scope" : "scopes") \(Words.list(scopes, "and"))")
        }
        parts += claims.map { "claim \($0.name): \(Words.list($0.values))" }
        return ReportText.shown(parts.joined(separator: ", "))
    }

    /// `limited by strangers and perUser`; nothing without limits.
    var limitText: String? {
        rateLimits.isEmpty ? nil : ReportText.shown("limited by \(Words.list(rateLimits, "and"))")
    }
}

extension CallCosts {
    /// Returns the row of a service that decides.
    fileprivate func row(
        of entry: ConfigAuth, _ authorizer: AuthorizerSettings, isCertain: Bool
    ) -> ReportRow {
        let upstream = Located(authorizer.upstream, at: entry.place(of: "authorize.upstream"))
        let path = Located(PlannedText(constant: authorizer.get), at: entry.place(of: "authorize.get"))
        let call = PlannedCall(upstream, .get, path)
        let timeout = Located(
            authorizer.timeout.inNanoseconds, at: entry.place(of: "authorize.timeout"))
        return ReportRow(
            name: "auth.\(entry.name.value)", kind: .call(target(of: call)), after: [], condition: nil,
            time: number(timeout, default: 0), calls: calls(of: call, isCertain: isCertain))
    }
}
