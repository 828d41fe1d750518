extension EndpointReport {
    /// Returns plans as text, an empty line between two:
    ///
    ///     GET /v1/profile/{id}   profile.yaml:5
    ///       user   GET api /users/{path.id}  1..3 calls  2 s
    ///       posts  GET api /posts, after user  0..3        2 s
    ///       worst 4 s (user, posts); 1..6 upstream calls
    ///
    ///     GET, POST /images/{path...}   profile.yaml:30
    ///       GET   images /{path...}  1..3 calls
    ///       POST  images /{path...}  1
    ///       first byte within 5 s an attempt, 15 s in all (deadline); 1..3 upstream calls
    package static func text(_ plans: [EndpointReport]) -> String {
        plans.map { plan in
            switch plan {
            case .calls(let plan): plan.text
            case .proxy(let plan): plan.text
            }
        }.joined(separator: "\n")
    }
}

extension CallReport {
    fileprivate var text: String {
        var lines: [[String]] = []
        for row in access.rows { Self.add(row, note: ", before all else", depth: 0, to: &lines) }
        for step in steps { Self.add(step, note: ", before the parts", depth: 0, to: &lines) }
        for part in parts { Self.add(part, depth: 0, to: &lines) }
        var text = ReportText("\(method) \(path)", file: file, line: line)
        text.add(lines)
        text.add("worst \(worstText); \(calls.text("upstream call"))")
        text.add(access)
        text.addCredentials(authorization, cookies)
        if hasUnknown(lines) { text.addUnknown() }
        return text.text
    }

    /// `4 s (deadline; 16 s by user, friends)`.
    private var worstText: String {
        let names = slowest.joined(separator: ", ")
        // An unknown chain may end before the deadline.
        guard chain.value != nil else {
            return deadline.value == nil ? "?" : "at most \(deadline.time) (deadline)"
        }
        guard isCapped else {
            if deadline.value == nil { return "at most \(chain.time) (\(names)), or the deadline of ?" }
            return names.isEmpty ? worst.time : "\(worst.time) (\(names))"
        }
        return "\(deadline.time) (deadline; \(chain.time) by \(names))"
    }

    private func hasUnknown(_ lines: [[String]]) -> Bool {
        deadline.value == nil || chain.value == nil || calls.most.value == nil
            || lines.contains { $0[3].contains("?") }
    }

    /// Adds the cells of a row: name, description, calls, time.
    private static func add(_ row: ReportRow, note: String = "", depth: Int, to lines: inout [[String]]) {
        var time = row.time.time
        var (what, members): (String, [ReportRow])
        switch row.kind {
        case .value: (what, members) = ("composed", [])
        case .call(let target): (what, members) = (target.text, [])
        case .forEach(let target, let limit, let concurrency):
            (what, members) = (target.text, [])
            time += " (\(limit), \(concurrency) at once)"
        case .group(let parts, let atLeast):
            let names = parts.map(\.name).joined(separator: ", ")
            what = "\(atLeast.map(\.description) ?? "all") of \(names)"
            members = atLeast != nil && areAlike(parts) ? [] : parts
        }
        if !row.after.isEmpty { what += ", after \(row.after.joined(separator: ", "))" }
        if let condition = row.condition {
            what += ", \(condition.isNegated ? "unless" : "if") \(condition.text)"
        }
        lines.append(
            [
                String(repeating: "  ", count: depth) + row.name, ReportText.shown(what) + note,
                lines.isEmpty ? row.calls.text("call") : row.calls.description, time,
            ])
        for member in members { add(member, depth: depth + 1, to: &lines) }
    }

    /// Whether parts differ only in the paths that they ask one upstream for. The row of their quorum says
    /// enough.
    private static func areAlike(_ parts: [ReportRow]) -> Bool {
        var first: (ReportTarget, ReportRow)?
        for part in parts {
            guard case .call(let target) = part.kind, part.after.isEmpty, part.condition == nil else {
                return false
            }
            if let (known, row) = first {
                guard known.method == target.method, known.upstream == target.upstream,
                    row.time == part.time, row.calls == part.calls
                else { return false }
            }
            first = (target, part)
        }
        return true
    }
}

extension ProxyReport {
    fileprivate var text: String {
        let lines = rows.enumerated().map { index, row in
            [
                ReportText.shown(row.methods.joined(separator: ", ")),
                ReportText.shown("\(upstream) \(upstreamPath)"),
                index == 0 ? row.calls.text("call") : row.calls.description,
            ]
        }
        var text = ReportText("\(methods.joined(separator: ", ")) \(path)", file: file, line: line)
        for row in access.rows {
            guard case .call(let target) = row.kind else { continue }
            text.add(
                "\(row.name)  \(ReportText.shown(target.text)), before all else  \(row.calls.text("call"))  "
                    + row.time.time)
        }
        text.add(lines)
        text.add(
            "first byte within \(firstByte.time) an attempt, \(deadline.time) in all (deadline); "
                + calls.text("upstream call"))
        text.add(access)
        text.addCredentials(authorization, cookies)
        if [firstByte, deadline, calls.most].contains(.unknown) { text.addUnknown() }
        return text.text
    }
}

extension ReportTarget {
    fileprivate var text: String { "\(method) \(upstream) \(path)" }
}
