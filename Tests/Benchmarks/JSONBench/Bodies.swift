enum Bodies {
    static var all: [(name: String, body: String)] {
        [("recent", recent), ("total", total), ("large", large)]
    }

    private static let recent = envelope(
        points: [
            ("2026-11-13", "70.1", "70.9"), ("2026-11-14", "70.0", "70.8"), ("2026-11-15", "69.9", "70.7"),
            ("2026-11-16", "69.9", "70.6"), ("2026-11-17", "69.8", "70.5"), ("2026-11-18", "69.7", "70.5"),
            ("2026-11-19", "69.6", "70.4"),
        ])

    private static let total = envelope(
        points: [
            ("2026-05", "74.1", "74.9"), ("2026-06", "73.0", "73.8"), ("2026-07", "72.9", "73.7"),
            ("2026-08", "72.1", "72.6"), ("2026-09", "71.8", "72.5"), ("2026-10", "70.7", "71.5"),
            ("2026-11", "69.6", "70.4"),
        ])

    private static func envelope(points: [(date: String, am: String, pm: String)]) -> String {
        let list = points.map { #"{"date":"\#($0.date)","am":\#($0.am),"pm":\#($0.pm)}"# }
        return #"{"code":"OK","message":"success","status":200,"data":{"unit":"kg","points":["#
            + list.joined(separator: ",") + "]}}"
    }

    /// 600 items with Korean text, and a space after each comma and colon.
    private static let large: String = {
        let items = (0..<600).map { id in
            let note = String(repeating: "오늘의 체중 ", count: 3)
            return
                #"{"id": \#(id), "name": "item \#(id)", "note": "\#(note)", "value": \#(Double(id) * 1.25), "#
                + #""ok": true}"#
        }
        return #"{"code": "OK", "message": "success", "status": 200, "data": {"items": ["#
            + items.joined(separator: ", ") + "]}}"
    }()
}
