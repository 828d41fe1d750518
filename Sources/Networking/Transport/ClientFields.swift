package import HTTPModel

/// What each upstream learns of the clients of a gateway's requests.
package struct ClientForms: Sendable {
    private let standard: ClientForwarding
    private let byUpstream: [String: ClientForwarding]
    /// Whether no upstream learns anything.
    package let areNone: Bool

    /// - Parameters:
    ///   - standard: of upstreams without a form of their own.
    ///   - byUpstream: the others' forms, by name.
    package init(_ standard: ClientForwarding, byUpstream: [String: ClientForwarding]) {
        self.standard = standard
        self.byUpstream = byUpstream
        areNone = standard == .none && byUpstream.values.allSatisfy { $0 == .none }
    }

    fileprivate func form(of upstream: Upstream) -> ClientForwarding {
        upstream.isNamed ? byUpstream[upstream.name] ?? standard : standard
    }
}

/// The fields that tell upstreams of one request's client.
package final class ClientFields: Sendable {
    private let facts: ClientFacts
    private let forms: ClientForms

    package init(_ facts: ClientFacts, in forms: ClientForms) {
        self.facts = facts
        self.forms = forms
    }

    func fields(for upstream: Upstream) -> HTTPFields { facts.fields(in: forms.form(of: upstream)) }
}
