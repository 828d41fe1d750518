import Testing

extension InOtherBrowser {
    @Suite("The checks of a page", .timeLimit(.minutes(2)))
    struct CheckTests {
        @Test("A good page passes every check")
        func goodPage() async throws {
            let content = """
                <label for="weight">Weight</label> <input id="weight" type="number">
                <button>Save</button> <button aria-label="Close"><svg width="24" height="24" aria-hidden="true">
                <path d="M2 2 L22 22" stroke="#222"/></svg></button>
                <p>Read <a href="/more">more</a> of it.</p><h2>Part</h2><p style="font-size: 24px; color: #888">Large</p>
                <svg role="img" aria-label="Weights" width="200" height="60">
                <line x1="0" y1="5" x2="200" y2="5" stroke="#eee" data-decorative=""/>
                <path d="M0 50 L200 10" fill="none" stroke="#06c"/></svg>
                """
            let style = """
                input { border: 1px solid #767676; height: 30px } button { min-height: 30px; min-width: 30px }
                :focus-visible { outline: 2px solid #06c }
                """
            try await withHarness(content, style: style) { page, site async throws in
                expectNone(try await page.complaints(Look()))
                expectNone(try await page.keyboardComplaints())
                expectNone(try await page.motionComplaints())
                expectNone(try await page.consoleComplaints())
                expectNone(try await page.foreignRequestComplaints(origins: [site.origin]))
                #expect(try await page.requests().isEmpty)
            }
        }

        @Test(
            "Controls and images without a name are found",
            arguments: [
                "<button></button>", "<button><svg width=24 height=24></svg></button>", "<input>",
                "<input type=date>", "<select><option>a</select>", "<a href='/x'></a>",
                "<a href='/x'><img src='data:,' alt=''></a>",
                "<div role=switch tabindex=0 aria-checked=true></div>",
                "<svg role=img width=9 height=9></svg>", "<img src='/a.png'>", "<button>×</button>",
            ])
        func unnamed(content: String) async throws {
            try await withHarness(content) { page, _ async throws in
                #expect(try await page.namingComplaints().count == 1)
            }
        }

        @Test(
            "Text with too little contrast is found",
            arguments: [
                ("<p>pale</p>", "p { color: #999 }"),
                ("<p>see-through</p>", "p { color: rgb(0 0 0 / 0.4) }"),
                ("<p>faded</p>", "main { opacity: 0.5 }"),
                ("<div><p>on a dark card</p></div>", "div { background: #444 }"),
                ("<div><p>on a veil</p></div>", "div { background: rgb(0 0 0 / 0.6) }"),
                ("<p>on a gradient</p>", "p { background: linear-gradient(#fff, #777) }"),
                ("<p>large and paler still</p>", "p { font-size: 24px; color: #aaa }"),
                ("<p>bold, but small</p>", "p { font: bold 18px serif; color: #888 }"),
                ("<p></p>", "p::before { content: 'before'; color: #999 }"),
                ("<input aria-label=a placeholder=pale>", "::placeholder { color: #bbb }"),
                ("<input aria-label=a value=pale>", "input { color: #999 }"),
                ("<svg width=99 height=30><text y=20>pale</text></svg>", "text { fill: #999 }"),
                ("<p>modern</p>", "p { color: oklch(0.75 0 0) }"),
            ])
        func pale(content: String, style: String) async throws {
            try await withHarness(content, style: style) { page, _ async throws in
                let complaints = try await page.textContrastComplaints()
                #expect(!complaints.isEmpty)
            }
        }

        @Test("Contrast close to a threshold is judged as WCAG defines it")
        func ratio() async throws {
            // On white, #767676 has 4.54 and #777777 has 4.48. As large text, #949494 has 3.03 and #969696
            // has 2.96.
            let content = "<p id=a>a</p><p id=b>b</p><p id=c>c</p><p id=d>d</p>"
            let style =
                "#a { color: #767676 } #b { color: #777 } #c, #d { font-size: 24px } #c { color: #949494 }"
            try await withHarness(content, style: style + "#d { color: #969696 }") { page, _ async throws in
                let complaints = try await page.textContrastComplaints()
                #expect(complaints.count == 2)
                #expect(complaints.first?.contains("p#b \"b\" has 4.48 of 4.5: #777777 on #ffffff") == true)
                #expect(complaints.last?.contains("p#d \"d\" has 2.9") == true)
            }
        }

        @Test("Invisible text and text of disabled controls may be pale")
        func exempt() async throws {
            let content = "<p hidden>pale</p><button disabled>pale</button><p class=sr>pale</p><i>·</i>"
            let style = """
                p, button { color: #ccc } i { visibility: hidden; color: #ddd }
                .sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
                """
            try await withHarness(content, style: style) { page, _ async throws in
                expectNone(try await page.textContrastComplaints())
            }
        }

        @Test(
            "Fields and chart lines with too little contrast are found",
            arguments: [
                ("<input aria-label=a>", "input { border: 1px solid #ddd; background: #fff }"),
                (
                    "<select aria-label=a><option>choice</select>",
                    "select { appearance: none; border: 0; background: #f4f4f4 }"
                ),
                (
                    "<div role=switch tabindex=0 aria-label=a aria-checked=true></div>",
                    "div { width: 40px; height: 24px; background: #dde }"
                ),
                ("<svg width=99 height=30><path d='M0 9 L99 20' stroke='#ccc' fill='none'/></svg>", ""),
                (
                    "<label><input type=checkbox role=switch><i></i></label>",
                    "input { opacity: 0 } i { display: block; width: 40px; height: 20px; background: #ddd }"
                ),
                (
                    "<label><input type=radio checked><span>chosen</span></label>",
                    "input { opacity: 0 } span { background: #eef }"
                ),
                ("<svg width=99 height=30><circle cx=9 cy=9 r=5 fill='#000' opacity='.2'/></svg>", ""),
                ("<i></i>", "i { display: block; width: 9px; height: 9px; background: #ccc }"),
                ("<i></i>", "i { display: block; width: 9px; height: 9px; border: 2px solid #ccc }"),
                ("<i></i>", "i { display: block; width: 9px; height: 9px; background: #000; opacity: .2 }"),
            ])
        func shapes(content: String, style: String) async throws {
            try await withHarness(content, style: style) { page, _ async throws in
                #expect(try await page.shapeContrastComplaints().count == 1)
            }
        }

        @Test("Bars that differ only by color are found, and those that look otherwise than in their key")
        func patterns() async throws {
            func page(_ bars: String, _ style: String) -> (content: String, style: String) {
                let key = ["a", "b", "c", "d", "e"].map { "<li><i class=\($0)></i></li>" }.joined()
                return (
                    "<div class=waterfall-room><p class=bar-room>\(bars)</p><ul class=trace-key>\(key)</ul></div>",
                    "i { display: block; height: 9px } .a { background: red } .b { border: 1px solid } "
                        + ".c { border: 2px solid } .d { border: 3px solid } " + style
                )
            }
            let cases = [
                ("<i class=a></i>", "", 0), ("", ".e { background: blue }", 1),
                ("<i class=b></i>", ".bar-room .b { background: red }", 1),
            ]
            for (bars, style, count) in cases {
                let (content, styles) = page(bars, style)
                try await withHarness(content, style: styles) { page, _ async throws in
                    #expect(try await page.patternComplaints().count == count)
                }
            }
        }

        @Test("Small targets are found only if they are close together")
        func targets() async throws {
            let style =
                "button { width: 16px; height: 16px; padding: 0; border: 0; margin: 0 } .apart button { margin: 9px }"
            let buttons = "<button aria-label=a></button><button aria-label=b></button>"
            try await withHarness("<div>\(buttons)</div>", style: style) { page, _ async throws in
                #expect(try await page.targetComplaints().count == 2)
            }
            try await withHarness("<div class=apart>\(buttons)</div>", style: style) { page, _ async throws in
                expectNone(try await page.targetComplaints())
            }
        }

        @Test(
            "Content wider than the window and text that is cut off are found",
            arguments: [
                ("<pre>a line that is much longer than a narrow window is wide, and so on</pre>", ""),
                ("<div></div>", "div { width: 400px; height: 9px }"),
                (
                    "<p>cut off by its own box, as too long</p>",
                    "p { width: 90px; overflow: hidden; white-space: nowrap }"
                ),
                (
                    "<p>three lines in the room of one of them</p>",
                    "p { width: 90px; height: 20px; overflow: hidden }"
                ),
            ])
        func overflow(content: String, style: String) async throws {
            try await withHarness(content, style: style, look: Look(device: .narrow)) {
                page, _ async throws in
                #expect(try await !page.overflowComplaints().isEmpty)
            }
        }

        @Test(
            "Structural errors are found",
            arguments: [
                ("<h3>skipped</h3>", "en", "h3 \"skipped\" comes after level 1"),
                ("<h1>second</h1>", "en", "there are 2 h1"),
                ("<p id=a></p><p id=a></p>", "en", "2 elements have id=\"a\""),
                ("<label for=none>x</label>", "en", "label \"x\" has for=\"none\", which is not there"),
                ("", "ko", "html has lang=\"ko\", expected en"),
            ])
        func structure(content: String, language: String, complaint: String) async throws {
            try await withHarness(content, language: language) { page, _ async throws in
                #expect(try await page.structureComplaints(.english) == [complaint])
            }
        }

        @Test("Motion is found unless the page reduces it on request")
        func motion() async throws {
            let style = """
                @keyframes turn { to { rotate: 1turn } } i { display: block; animation: turn 1s infinite }
                button { transition: color 0.2s }
                @media (prefers-reduced-motion: reduce) { i { animation: none } button { transition: none } }
                """
            try await withHarness("<i></i><button>a</button>", style: style) { page, _ async throws in
                #expect(try await page.motionComplaints().count == 3)
            }
            let look = Look(reducesMotion: true)
            try await withHarness("<i></i><button>a</button>", style: style, look: look) {
                page, _ async throws in
                expectNone(try await page.motionComplaints())
            }
        }

        @Test("An invisible focus, a wrong tab order and a pale outline are found")
        func keyboard() async throws {
            let style = ":focus-visible { outline: 2px solid #06c }"
            try await withHarness(
                "<button id=a>a</button><button id=b>b</button>",
                style: style + "#b { outline: none !important }"
            ) { page, _ async throws in
                #expect(
                    try await page.keyboardComplaints() == ["button#b \"b\" looks the same with the focus"])
            }
            try await withHarness(
                "<div role=button onclick='1'>no stop</div><div tabindex=0 role=button id=c>stop</div>",
                style: style
            ) { page, _ async throws in
                expectNone(try await page.keyboardComplaints())
            }
            try await withHarness(
                "<button id=a tabindex=2>a</button><button id=b tabindex=1>b</button>", style: style
            ) { page, _ async throws in
                #expect(try await page.keyboardComplaints().contains { $0.hasPrefix("Tab goes ") })
            }
            try await withHarness("<button>a</button>", style: ":focus-visible { outline: 2px solid #ddd }") {
                page, _ async throws in
                #expect(try await page.keyboardComplaints().first?.hasPrefix("the outline of button") == true)
            }
        }

        @Test("A request to another host is found even if it fails")
        func foreignRequest() async throws {
            try await withHarness("<img alt='' src='http://sluice.invalid/a.png'>") {
                page, site async throws in
                #expect(
                    try await page.foreignRequestComplaints(origins: [site.origin])
                        == ["GET http://sluice.invalid/a.png"])
                #expect(try await page.consoleComplaints().count == 1)
            }
        }

        @Test(
            "Console warnings and errors are found",
            arguments: [
                ("<script>console.error('no')</script>", "console-api"),
                ("<script>console.warn('no')</script>", "console-api"),
                ("<script>null.a</script>", "javascript"),
                ("<script>Promise.reject(new Error('no'))</script>", "javascript"),
                ("<img alt='' src='/none.png'>", "network"),
            ])
        func console(content: String, source: String) async throws {
            try await withHarness(content) { page, _ async throws in
                let complaints = try await page.consoleComplaints()
                #expect(complaints.count == 1)
                #expect(complaints.first?.contains("of \(source):") == true, "\(complaints)")
            }
        }

        @Test("Content-Security-Policy violations are found; expected failures are not")
        func policy() async throws {
            let site = try HarnessSite(
                ["/": "<!doctype html><title>a</title><link rel=icon href=/none><script>1</script>"],
                policy: "default-src 'none'; img-src 'self'; require-trusted-types-for 'script'")
            defer { site.stop() }
            try await withPage { page async throws in
                try await page.open(site.origin + "/")
                let complaints = try await page.consoleComplaints(expectedStatuses: [404])
                #expect(complaints.count == 1)
                #expect(complaints.first?.hasPrefix("SEVERE of security:") == true)
                // The page's policy does not stop the scripts of the checks.
                #expect(try await !page.structureComplaints(.english).isEmpty)
            }
        }
    }
}
