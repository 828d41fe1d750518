import EventIO
import HTTPInbound
import HTTPOutbound
import JSONBytes
import Locking
import Metrics
import NetworkingSession
import Resilience

extension GatewayServer {
    /// Returns the gateway's state at this moment as JSON.
    ///
    /// - Parameter failures: the last failures of the upstreams of each loop; nil for a loop that is silent.
    func status(_ failures: [[String: LastFailure]?]) -> JSONLiteral {
        let loops = failures.enumerated().map { index, answer in answer.map { _ in report(ofLoop: index) } }
        let sum = report(of: failures.indices.filter { failures[$0] != nil })
        let lastFailures = failures.compactMap(\.self).reduce(into: [:]) { all, some in
            all.merge(some) { $0.at > $1.at ? $0 : $1 }
        }
        // Also those without a circuit and limits.
        let names = Set(current.withLock { $0.upstreamNames })
            .union(sum.upstreams.keys).union(lastFailures.keys)
        var members: [(String, JSONLiteral)] = [
            ("name", JSONLiteral(site.name.description)),
            ("version", JSONLiteral(version.map { JSONLiteral($0) })),
            ("phase", JSONLiteral(phase.name)), ("listener", listener),
        ]
        if loops.contains(nil) { members.append(("incomplete", true)) }
        members += sum.members
        members.append(("limits", limits))
        members.append(
            (
                "upstreams",
                JSONLiteral(
                    members: names.sorted().map { name in
                        let members =
                            (sum.upstreams[name]?.members ?? []) + [("connections", connections(to: name))]
                            + (lastFailures[name].map { [("lastFailure", $0.json)] } ?? [])
                        return (name, JSONLiteral(members: members))
                    })
            ))
        if !sum.access.isEmpty { members.append(("access", sum.access.json)) }
        if let redirectURL { members.append(("redirect", JSONLiteral(redirectURL))) }
        let certificates = CertificateReport(current.withLock { $0 })
        if !certificates.entries.isEmpty {
            members.append(("certificates", certificates.json(at: CertificateReport.now)))
        }
        if let report = sum.configuration { members.append(("configuration", report.json)) }
        members.append(
            (
                "loops",
                JSONLiteral(
                    loops.enumerated().map { index, report in
                        JSONLiteral(
                            members: [("loop", JSONLiteral(index))] + (report?.members ?? [("silent", true)]))
                    })
            ))
        return JSONLiteral(members: members)
    }

    /// The connections to an upstream and the calls that wait for one, over all loops.
    private func connections(to upstream: String) -> JSONLiteral {
        func count(_ family: MetricFamily, _ labels: String...) -> JSONLiteral {
            JSONLiteral(metrics.value(family, [upstream] + labels) ?? 0)
        }
        return [
            "idle": count(.upstreamConnections, "idle"), "leased": count(.upstreamConnections, "leased"),
            "relays": count(.upstreamConnections, "relay"), "waitingCalls": count(.upstreamWaitingCalls),
        ]
    }

    /// What the port of the gateway speaks, and where plain HTTP is redirected.
    private var listener: JSONLiteral {
        let isSecure = current.withLock { $0.tls } != nil
        let members: [(String, JSONLiteral)] = [
            ("protocol", JSONLiteral(isSecure ? "https" : "http")), ("port", JSONLiteral(port)),
        ]
        return JSONLiteral(
            members: members + (redirectPort.map { [("redirectPort", JSONLiteral($0))] } ?? []))
    }

    /// How much of each limit is used, by its name in metrics.
    private var limits: JSONLiteral {
        JSONLiteral(
            members: limitsInUse(ProcessUsage.now).map {
                ($0.name, ["used": JSONLiteral($0.used), "limit": JSONLiteral($0.limit)])
            })
    }
}

extension GatewayReport {
    /// What one loop has, or all together.
    fileprivate var members: [(String, JSONLiteral)] {
        [
            ("connections", JSONLiteral(connections)), ("requests", JSONLiteral(requests)),
            ("refusedRequests", JSONLiteral(refusedRequests)),
            ("requestBodyBytes", JSONLiteral(requestBodyBytes)),
            ("waitingAnswerBytes", JSONLiteral(waitingAnswerBytes)),
            (
                "shed",
                [
                    "idle": JSONLiteral(shed.idle), "slowHeads": JSONLiteral(shed.slowHeads),
                    "refused": JSONLiteral(shed.refused),
                ]
            ), ("refusedProxyHeaders", JSONLiteral(refusedProxyHeaders)),
            ("upstreamConnections", calls.json), ("timers", JSONLiteral(timers)),
            ("wakes", JSONLiteral(Int(wakes))),
        ]
    }
}

extension PoolReport {
    fileprivate var json: JSONLiteral {
        [
            "idle": JSONLiteral(idle), "leased": JSONLiteral(leased), "relays": JSONLiteral(relays),
            "waitingCalls": JSONLiteral(waiting), "opened": JSONLiteral(opened),
            "reused": JSONLiteral(reused),
        ]
    }
}

extension LastFailure {
    fileprivate var json: JSONLiteral {
        var members: [(String, JSONLiteral)] = [("reason", JSONLiteral(reason.token))]
        if let status { members.append(("status", JSONLiteral(status))) }
        if let address { members.append(("address", JSONLiteral(address.description))) }
        let age = max(0, (MonotonicTime.clock() - at).nanoseconds)
        members.append(("secondsAgo", JSONLiteral(Double(age / 100_000_000) / 10)))
        return JSONLiteral(members: members)
    }
}

extension UpstreamReport {
    fileprivate var members: [(String, JSONLiteral)] {
        var members: [(String, JSONLiteral)] = []
        if let circuit {
            members += [("circuit", JSONLiteral(circuit.word)), ("openings", JSONLiteral(openings))]
            if case .open(let until) = circuit {
                let left = max(0, until - MonotonicTime.clock().nanoseconds)
                members.append(("secondsLeft", JSONLiteral(Double(left / 100_000_000) / 10)))
            }
        }
        if let attemptsInFlight { members.append(("attemptsInFlight", JSONLiteral(attemptsInFlight))) }
        members.append(("refusals", JSONLiteral(refusals)))
        if !addresses.isEmpty {
            members.append(
                (
                    "addresses",
                    JSONLiteral(
                        members: addresses.sorted { $0.key < $1.key }.map {
                            ($0.key, JSONLiteral($0.value.word))
                        })
                ))
        }
        return members
    }
}

extension ConfigurationReport {
    fileprivate var json: JSONLiteral {
        [
            "generation": JSONLiteral(generation), "hash": JSONLiteral(hash), "reloads": JSONLiteral(reloads),
            "failedReloads": JSONLiteral(failedReloads), "isLastSuccessful": JSONLiteral(isLastSuccessful),
            "lastSuccess": JSONLiteral(Int(lastSuccess)),
        ]
    }
}

extension CircuitBreaker.State {
    fileprivate var word: String {
        switch self {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half_open"
        }
    }
}

extension AddressState {
    fileprivate var word: String {
        switch self {
        case .inService: "in_service"
        case .ejected: "ejected"
        case .unhealthy: "unhealthy"
        }
    }
}
