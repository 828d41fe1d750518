import Networking

extension Page {
    func hover(_ selector: String) async throws {
        struct Point: Decodable {
            var x: Int
            var y: Int
        }
        let point = try await run(
            """
            const element = document.querySelector(arguments[0]);
            element.scrollIntoView({block: "center", behavior: "instant"});
            const box = element.getBoundingClientRect();
            return {x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2)};
            """, [.text(selector)], as: Point.self)
        try await perform([
            [
                "type": "pointer", "id": "mouse", "parameters": ["pointerType": "mouse"],
                "actions": [
                    [
                        "type": "pointerMove", "duration": 0, "x": .integer(Int64(point.x)),
                        "y": .integer(Int64(point.y)),
                    ]
                ],
            ]
        ])
    }

    /// The focused day or month of the chart; nil if none has the focus.
    var focusedSlot: String? {
        get async throws {
            try await run("return document.activeElement.dataset.slot ?? null", as: String?.self)
        }
    }

    func tab(to selector: String) async throws {
        for _ in 1...80 {
            try await press(.tab)
            if try await run(
                "return document.activeElement.matches(arguments[0])", [.text(selector)], as: Bool.self)
            {
                return
            }
        }
        throw NotInTime(what: "Tab reaches \(selector)", limit: .zero)
    }
}
