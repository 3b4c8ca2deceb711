// The names that a screen reader reads on the main pages, in their order. Names that depend on other tests are left out.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { wordsWithoutSpace } from './barriers.ts'
import { buildRateText, connectAgent, deploy } from './deploying-agent.ts'
import { publishFirst, read } from './procedures.ts'
import { test } from './test.ts'

const PROMPT = { ns: `reading-${Date.now().toString(36)}`, key: 'coder' }
const NAME = `${PROMPT.ns}/${PROMPT.key}`
const CONFIG = `/configs/${NAME}`

const FRAME = `
- link "Skip to content"
- navigation "Main":
  - combobox "Environment"
  - button "Search or jump"
  - list:
    - listitem:
      - link /^Overview/
    - listitem:
      - link /^Sessions/
    - listitem:
      - link /^Stops/
    - listitem:
      - link /^Call approvals/
    - listitem:
      - link /^Configs/
    - listitem:
      - link /^Rollouts/
    - listitem:
      - link /^Runtimes/
    - listitem:
      - link "Analytics"
    - listitem:
      - link /^Alerts/
    - listitem:
      - link "Settings"
  - link "Help and docs"
  - button "Keyboard shortcuts"
  - paragraph:
    - status: /Live/
  - button "Switch between light and dark"
  - button "Collapse or expand the rail (Ctrl+B)"
  - button "Sign out"
`

const OVERVIEW = `
- heading "Overview" [level=1]
- heading "Needs attention" [level=2]
- link "Alert rules"
- heading "Sessions started" [level=2]
- img /^Sessions started by hour, the last 24 hours/
- heading "Tool calls denied" [level=2]
- img /^Tool calls denied by hour/
- heading "Stops blocked" [level=2]
- img /^Stops blocked by hour/
- heading "Stops bypassed" [level=2]
- heading "Running now" [level=2]
- link /^All (sessions|\\d+ running)$/
- heading "Releases" [level=2]
- link "All releases"
`

const SESSIONS = `
- heading "Sessions" [level=1]
- button "Views"
- button "Export"
- search:
  - textbox "Search sessions"
  - combobox "View"
  - combobox "Range"
  - combobox "Prompt"
  - combobox "Verdict"
- button "Columns"
- grid "Sessions":
  - row:
    - columnheader "Status"
    - columnheader "Prompt"
  - rowgroup:
    - row:
      - gridcell "Ended"
      - gridcell "${NAME}":
        - link "${NAME}"
      - gridcell "v1"
`

const SESSION = `
- heading "${PROMPT.ns}/${PROMPT.key}" [level=1]
- button "Copy session id"
- button /^Copy link/
- link "Compare"
- button /^Export the session/
- navigation "Views of the session":
  - button "Timeline"
  - button "Decisions 3"
  - button "Feedback 0"
  - button "Plan history 0"
  - button "Files"
  - button "Annotations"
  - button "Raw"
- search:
  - searchbox "Search this session"
- button "Denied 1"
- button "Stops 1"
- button "Every event"
- slider "Position in session"
- grid "Events":
  - rowgroup:
    - row /Started .* in dev/
    - row /Denied deploy/
    - row /Stop blocked.*CHANGELOG.md/
- complementary "Inspector":
  - group "Which side of the event"
  - button "Previous state change"
  - button "Next state change"
  - button "Previous verdict"
  - button "Next verdict"
  - tablist "Inspector":
    - tab "State" [selected]
    - tab "Event"
  - tabpanel "State":
    - region "Details":
      - heading "Plan" [level=3]
      - heading "Policy state" [level=3]
      - heading "Files read" [level=3]
      - heading /^Tools succeeded/ [level=3]
      - heading "Feedback" [level=3]
      - heading "Deadline and budget" [level=3]
      - heading "Lease" [level=3]
`

const STOP = `
- navigation "Breadcrumb":
  - link "Sessions"
- text: Stop blocked
- heading /CHANGELOG.md/ [level=1]
- button /^Copy link/
- button /^Export the stop/
- button "Pin as test case"
- button "Test a change"
- button "Create alert"
- heading "What would unblock it" [level=2]
- list:
  - listitem: /agent/
- heading "Checks" [level=2]
- tree "Checks as recorded":
  - treeitem /^done files_exist incomplete/
- heading "Message the agent received" [level=2]
- button "Copy message"
- heading "Evidence" [level=2]
- heading "All attempts in this session" [level=2]
`

const DETAIL = `
- link "Configs"
- heading "${NAME}" [level=1]
- link "Versions"
- link "Staged rollout"
- link "Edit"
- list:
  - listitem:
    - heading "dev" [level=2]
    - button "Promote v1 to staging"
  - listitem:
    - heading "staging" [level=2]
  - listitem:
    - heading "production" [level=2]
- heading "Rules" [level=2]
- region "Policies":
  - heading "Policies" [level=3]
- region "Completion":
  - heading "Completion" [level=3]
- heading "Recent denials and blocked stops" [level=2]
- list "Denied calls":
  - listitem:
    - link /deploy/
`

const EDITOR = `
- heading "Edit ${NAME}" [level=1]
- button "History"
- button "Review and publish"
- toolbar "View":
  - button "Form + JSON" [pressed]
- navigation "Outline":
  - list
- group "Form":
  - region "Prompt":
    - heading "Prompt" [level=2]
    - textbox "Prompt name"
    - textbox "Description"
  - region "Tools"
  - region "Policies":
    - heading "Policies" [level=2]
    - group "Rate limit rate":
      - textbox "Id of Rate limit rate"
  - region "Content"
  - region "Feedback"
  - region "Completion"
  - region "Limits"
- textbox "JSON of ${NAME}"
- region "Problems"
`

const RELEASE = `
- link "Rollouts"
- link "${NAME}"
- heading /^v1 in dev/ [level=1]
- button "Promote to staging"
- list "State of the release"
- heading "Adoption" [level=2]
- heading "Monitoring" [level=2]
- link "How it is decided"
- heading "What changed" [level=2]
`

const ANALYTICS = `
- heading "Analytics" [level=1]
- button "Views"
- navigation "Analytics":
  - link "Denials"
  - link "Feedback"
  - link "Stops"
  - link "Plans and deadlines"
- combobox "Range"
- combobox "Prompt"
- heading "Denied calls by rule" [level=2]
- combobox "Group by"
- button "View as table"
- button "Download CSV"
- img /denied calls? in this range/
- table /Series of/
`

/** A session that ended, with a denied call and a blocked stop. */
async function recordSession(page: Page): Promise<string> {
  await publishFirst(page, PROMPT, { text: buildRateText(PROMPT, 1), note: 'First rules' })
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sbx-reading-'))
  const guardrails = connectAgent(NAME, folder)
  try {
    await guardrails.ready()
    const session = guardrails.openSession({ workspaceRoot: folder })
    expect(await deploy(session, 'a')).toBe(true)
    expect(await deploy(session, 'b')).toBe(false)
    expect((await session.beforeStop({ via: 'turn_end' })).allowed).toBe(false)
    await session.end({ reason: 'aborted' })
    return session.id
  } finally {
    await guardrails.close(3_000)
    rmSync(folder, { recursive: true, force: true })
  }
}

test('a screen reader reads the names of the main pages in the order of their content', {
  tag: '@soak',
}, async ({ page }) => {
  const session = await recordSession(page)
  const filter = { prompt: PROMPT }
  type Rows = { readonly rows: readonly { readonly id: string }[] }
  const stops = () => read<Rows>(page, 'stops.list', { filter })
  await expect.poll(async () => (await stops()).rows.length).toBe(1)
  const stop = (await stops()).rows[0]?.id
  const release = (await read<Rows>(page, 'releases.list', { filter })).rows[0]?.id
  const pages = [
    ['/', OVERVIEW],
    [`/sessions?status=all&prompt=${encodeURIComponent(NAME)}`, SESSIONS],
    [`/sessions/${session}`, SESSION],
    [`/stops/${stop}`, STOP],
    [CONFIG, DETAIL],
    [`${CONFIG}/edit`, EDITOR],
    [`/releases/${release}`, RELEASE],
    ['/analytics/denials', ANALYTICS],
  ] as const
  for (const [address, names] of pages) {
    await page.goto(address)
    await expect.soft(page.getByRole('main'), address).toMatchAriaSnapshot(names)
    expect.soft(await wordsWithoutSpace(page), address).toEqual([])
  }
  await expect.soft(page.locator('body')).toMatchAriaSnapshot(FRAME)
})
