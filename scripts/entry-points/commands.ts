import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { tellSession } from '@signalbox/testkit'
import { computeDigest, derivePublicKey } from '@signalbox/wire'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ADAPTERS } from '@/packages/adapters/src/registry.ts'
import { claudeHooks } from '@/packages/cli/src/test/claude-hooks.ts'
import {
  chained,
  DOCUMENT,
  headFor,
  LOG,
  SEED,
  sealed,
} from '@/packages/cli/src/test/portable-lab.ts'
import { winkArchive } from '@/packages/cli/src/test/wink-archive.ts'
import { said } from '../product-process.ts'
import { IS_SOAK, selectSample } from '../soak-sample.mjs'
import { findWorkflowStep, testWorkflow } from './github-action.ts'
import {
  type Environment,
  type InstalledCommand,
  installCommand,
  outcome,
  type Ran,
} from './installed-command.ts'
import type { ManagedProduct } from './operation-cases.mjs'
import type { ShippedProduct } from './shipped-product.ts'

/** Exit codes of each command: 0 clean, 1 findings, 2 unusable input, and 3 for what this command cannot decide or do. */
const EXITS: Readonly<Record<string, readonly number[]>> = {
  'acp-proxy': [0, 1, 2],
  apply: [0, 1, 2, 3],
  approvals: [0, 2],
  audit: [0, 2],
  backtests: [0, 1, 2],
  cases: [0, 2],
  claims: [0, 2],
  check: [0, 1, 2],
  completion: [0, 2],
  daemon: [0, 2],
  diff: [0, 1, 2],
  doctor: [0, 1, 2],
  export: [0, 2],
  hook: [0, 2],
  import: [0, 1, 2],
  'import-permissions': [0, 1, 2],
  'import-wink': [0, 1, 2],
  init: [0, 2],
  learn: [0, 1, 2],
  lint: [0, 1, 2],
  'mcp-proxy': [0, 1, 2],
  open: [0, 1, 2, 3],
  promote: [0, 1, 2],
  prevent: [0, 1, 2],
  prove: [0, 1, 2, 3],
  publish: [0, 1, 2],
  suggestions: [0, 1, 2],
  pull: [0, 1, 2],
  push: [0, 1, 2],
  relay: [0, 2],
  replay: [0, 1, 2],
  rollback: [0, 1, 2],
  rollouts: [0, 2],
  runtimes: [0, 2],
  sessions: [0, 2],
  stops: [0, 2],
  streams: [0, 2],
  validate: [0, 1, 2],
}

interface Prompt {
  readonly ns: string
  readonly key: string
}

/** Unusual formatting, which a folder must keep. */
function formatOddly({ ns, key }: Prompt, needs: readonly string[]): string {
  const rule = { id: 'order', type: 'sequential_dependency', dependencies: { deploy: needs } }
  return `{ "schema_version": 1,\n\t"ns": "${ns}",   "key": "${key}",\n  "policies": [ ${JSON.stringify(rule)} ] }\n`
}

interface Call {
  readonly cwd: string
  /** Absent: a key of dev with the scopes `read` and `publish`. */
  readonly key?: string
  readonly env?: Environment
  readonly input?: string
}

export function describeCommands(folder: string, shipped: () => ShippedProduct): void {
  describe('the packed CLI', () => testCommands(folder, shipped))
}

function testCommands(folder: string, shipped: () => ShippedProduct): void {
  let command: InstalledCommand
  const seen = new Map<string, Set<number>>()
  const keys: Record<string, string> = {}
  const running = new Set<ChildProcess>()
  let folders = 0
  let prompts = 0

  beforeAll(async () => {
    command = await installCommand(folder, findWorkflowStep('review Install'))
    const { product } = shipped()
    for (const environment of ['dev', 'staging', 'production']) {
      keys[environment] = await product.key({ environment, scopes: ['read', 'publish'] })
    }
    keys['agent'] = await product.key()
  })
  afterAll(() => {
    for (const child of running) child.kill('SIGKILL')
  })

  function newFolder(): string {
    const made = path.join(folder, 'work', String(++folders))
    // Only its user may enter the folder of a daemon's socket.
    fs.mkdirSync(made, { recursive: true, mode: 0o700 })
    return made
  }

  function start(words: string, { cwd, key = 'dev', env = {} }: Call): ChildProcess {
    const parts = words.match(/"[^"]*"|\S+/g) ?? []
    const child = spawn(
      command.program,
      parts.map((word) => word.replaceAll('"', '')),
      {
        cwd,
        env: {
          NODE_ENV: 'production',
          ...command.env,
          SIGNALBOX_URL: shipped().url,
          SIGNALBOX_API_KEY: keys[key] ?? key,
          ...env,
        },
      },
    )
    running.add(child)
    child.once('exit', () => running.delete(child))
    return child
  }

  async function ended(words: string, child: ChildProcess): Promise<Ran> {
    const ran = await outcome(child)
    const [name = ''] = words.split(' ')
    seen.set(name, (seen.get(name) ?? new Set()).add(ran.code ?? -1))
    for (const secret of Object.values(keys)) expect(ran.out + ran.err).not.toContain(secret)
    return ran
  }

  function signalbox(words: string, call: Call): Promise<Ran> {
    const child = start(words, call)
    child.stdin?.end(call.input ?? '')
    return ended(words, child)
  }

  function newPrompt() {
    const prompt = { ns: 'team/agents', key: `cli-${++prompts}` }
    const cwd = newFolder()
    const file = path.join('guardrails', 'team', 'agents', `${prompt.key}.json`)
    const write = (needs: readonly string[], root = cwd) => {
      fs.mkdirSync(path.join(root, path.dirname(file)), { recursive: true })
      fs.writeFileSync(path.join(root, file), formatOddly(prompt, needs))
    }
    const read = () => fs.readFileSync(path.join(cwd, file), 'utf8')
    const run = (words: string, more: Partial<Call> = {}) => signalbox(words, { cwd, ...more })
    const params = { ns: prompt.ns.replaceAll('/', '~'), key: prompt.key }
    return { ...prompt, name: `${prompt.ns}/${prompt.key}`, params, cwd, file, write, read, run }
  }

  const PUBLISH = 'publish --env dev --note "as told"'

  async function newPublished() {
    const one = newPrompt()
    one.write(['test'])
    await one.run(PUBLISH)
    return one
  }

  describe('CLI commands for records', () => {
    test('sessions and the audit log are listed as a table or JSON, page by page, and one is shown', async () => {
      const cwd = newFolder()
      const agent = { cwd, key: 'agent' }
      const { product } = shipped()
      const session = `sess_${'0'.repeat(25)}7`
      const event = { session, seq: 1, at: Date.now(), type: 'note', data: { text: 'hi' } }
      await product.send('store-events', { body: `${JSON.stringify(event)}\n` })
      const words = `sessions list --since ${event.at - 1} --filter session:${session}`
      const listed = await signalbox(words, agent)
      expect(listed.code).toBe(0)
      expect(listed.out).toMatch(/^session +status +prompt .*\nsess_0/)
      const { rows, next } = JSON.parse((await signalbox(`${words} --json`, agent)).out)
      expect([rows.length, rows[0].session, next]).toEqual([1, session, null])
      const shown = await signalbox(`sessions show ${session}`, agent)
      expect(shown.out).toContain(`started_at        ${new Date(event.at).toISOString()}`)

      const audit = JSON.parse((await signalbox('audit list --limit 3 --json', agent)).out)
      expect(audit.rows).toHaveLength(3)
      const rest = `audit list --limit 201 --json --after "${audit.next}"`
      const later = JSON.parse((await signalbox(rest, agent)).out).rows
      expect(later).not.toContainEqual(audit.rows[0])
      const [entry] = audit.rows
      const again = await signalbox(`audit show ${entry.id} --json`, agent)
      expect(JSON.parse(again.out)).toEqual(entry)
    })

    test('a waiting call is denied after its arguments are printed; an answered one and a key of an agent exit with 2', async () => {
      const cwd = newFolder()
      const { product } = shipped()
      const key = await product.key({ scopes: ['sessions:read', 'approvals:answer'] })
      const id = (await product.answer()).params?.['id'] ?? ''
      const deny = `approvals deny ${id} --note "Not now."`
      expect(await signalbox(deny, { cwd, key: 'agent' })).toMatchObject({
        code: 2,
        err: expect.stringContaining('does not have the scope "approvals:answer"'),
      })
      expect(await signalbox(deny, { cwd, key })).toMatchObject({
        code: 0,
        out: expect.stringContaining(`${id} denied`),
        err: expect.stringContaining('deploy {}'),
      })
      expect(await signalbox(`approvals approve ${id}`, { cwd, key })).toMatchObject({
        code: 2,
        err: expect.stringContaining('A call is decided once.'),
      })
    })

    test('a session and a stop are labeled, listed and cleared; an event that decides nothing and a key without the scope exit with 2', async () => {
      const cwd = newFolder()
      const { product } = shipped()
      const { session, stop: stopId } = await product.records()
      const key = await product.key({ scopes: ['sessions:read', 'labels:write'] })
      const stop = stopId.slice(stopId.lastIndexOf('_') + 1)
      const label = (words: string) => signalbox(`sessions label ${session} ${words}`, { cwd, key })
      expect(await label('good')).toMatchObject({ code: 0, out: expect.stringMatching(/0 +good/) })
      expect(await label(`bad --at ${stop}`)).toMatchObject({
        code: 0,
        out: expect.stringMatching(new RegExp(`${stop} +bad`)),
      })
      const listed = await signalbox(`sessions labels ${session} --json`, { cwd, key })
      expect(JSON.parse(listed.out).rows).toMatchObject([
        { seq: 0, label: 'good' },
        { seq: Number(stop), label: 'bad' },
      ])
      expect(await label('bad --at 1')).toMatchObject({
        code: 2,
        err: expect.stringContaining('(session.started) decides nothing'),
      })
      expect(await label('none')).toMatchObject({ code: 0, out: expect.not.stringMatching(/good/) })
      expect(
        await signalbox(`sessions label ${session} good`, { cwd, key: 'agent' }),
      ).toMatchObject({
        code: 2,
        err: expect.stringContaining('does not have the scope "labels:write"'),
      })
    })

    test('a change that prevents a call is searched and taken; an event that decides nothing exits with 2', async () => {
      const cwd = newFolder()
      const session = await shipped().product.newAllowedCall()
      const prevent = (words: string) =>
        signalbox(`sessions prevent ${session} ${words}`, { cwd, key: 'agent' })
      // Its only session is the marked one, so no good session says that the tool is used.
      expect(await prevent('--at 3 --take 1 --shadow')).toMatchObject({
        code: 0,
        out: expect.stringContaining('mail'),
        err: expect.stringContaining('and pinned the case.'),
      })
      expect(await prevent('--at 1')).toMatchObject({
        code: 2,
        err: expect.stringContaining('Event #1 decides nothing.'),
      })
    })

    test('rules are found in recorded sessions, dismissed, restored and taken; nothing to find exits with 0', async () => {
      const cwd = newFolder()
      const { name, id } = await shipped().product.newSuggestion()
      const run = (words: string) => signalbox(`suggestions ${words}`, { cwd, key: 'agent' })
      expect(await run(`find ${name}`)).toMatchObject({
        code: 1,
        out: expect.stringContaining(`${id}  habit  \`read_file\`, \`write_file\` take paths`),
      })
      expect((await run(`dismiss ${name} ${id} --reason tested`)).code).toBe(0)
      expect(await run(`find ${name}`)).toMatchObject({
        code: 0,
        out: expect.stringContaining('No new pattern found.'),
      })
      expect((await run(`restore ${name} ${id}`)).code).toBe(0)
      expect((await run(`restore ${name} ${id}`)).code).toBe(2)
      expect((await run(`find ${name}`)).code).toBe(1)
      expect((await run(`take ${name} ${id}`)).code).toBe(0)
      expect(await run(`take ${name} ${id}`)).toMatchObject({
        code: 2,
        err: expect.stringContaining('already has this'),
      })
    })

    test('a session is paused, resumed and ended; an order without effect or reason exits with 2', async () => {
      const cwd = newFolder()
      const session = await shipped().product.newControllableSession()
      const give = (words: string) => signalbox(`sessions ${words}`, { cwd })
      const paused = await give(`pause ${session} --reason "Wait for me."`)
      expect(paused).toMatchObject({ code: 0, out: expect.stringContaining('Order 1 (pause)') })
      const again = await give(`pause ${session} --reason "Wait for me."`)
      expect(again).toMatchObject({ code: 2, err: expect.stringContaining('has paused this') })
      const resumed = await give(`resume ${session} --reason "Go on." --json`)
      expect(JSON.parse(resumed.out)).toMatchObject({ counter: 2, reachable: true })
      expect(await give(`end ${session} --reason "Enough."`)).toMatchObject({ code: 0 })
      expect((await give(`resume ${session} --reason "Go on."`)).code).toBe(2)
      expect((await give(`pause ${session}`)).code).toBe(2)
    })

    test('runtimes, stops and call approvals are listed; an unknown id, a bad filter and a missing scope exit with 2', async () => {
      const cwd = newFolder()
      const agent = { cwd, key: 'agent' }
      const runtime = await shipped().product.newRuntime()
      const { out } = await signalbox(`runtimes show ${runtime} --json`, agent)
      expect(JSON.parse(out)).toMatchObject({ runtime, state: 'nothing_applied' })
      expect((await signalbox('runtimes list', agent)).out).toContain(runtime)
      for (const words of [
        'stops list --filter verdict:blocked',
        'approvals list',
        'approvals list --state settled --json',
      ])
        expect(await signalbox(words, agent)).toMatchObject({ code: 0, err: '' })
      for (const words of [
        'stops list --filter nothing:x',
        'stops list --since noon',
        'stops list --limit 0',
        ...['sessions', 'stops', 'runtimes', 'approvals', 'audit'].map((one) => `${one} show none`),
      ])
        expect((await signalbox(words, agent)).code, words).toBe(2)
      expect(await signalbox('audit list', { cwd })).toMatchObject({
        code: 2,
        err: expect.stringContaining('does not have the scope "audit:read"'),
      })
    })
  })

  describe('signalbox apply and signalbox streams', () => {
    async function newManager() {
      const cwd = newFolder()
      const { product } = shipped()
      const scopes = ['admin', 'read', 'ingest', 'sessions:read'] as const
      const key = await product.key({ scopes: [...scopes] })
      keys['manager'] = key
      const run = (words: string) => signalbox(words, { cwd, key: 'manager', env: { HOOK: URL } })
      const declare = (more: object) =>
        fs.writeFileSync(
          path.join(cwd, 'project.json'),
          JSON.stringify({ project_version: 1, ...more }),
        )
      return { cwd, run, declare }
    }
    const URL = 'https://hooks.invalid/secret-path'
    const SECRETS = 'signalbox-secrets.jsonl'

    test('apply shows a plan, makes the changes once, and removes what is not declared only with --prune', async () => {
      const { cwd, run, declare } = await newManager()
      const { rows } = (await shipped().product.send('list-keys', {})).json
      const live = rows.filter(
        ({ revoked_at: end, replaced_by: next }: Record<string, unknown>) =>
          end === null && next === null,
      )
      // Other cases make several keys of one name.
      const names = live.map(({ name }: Record<string, unknown>) => name)
      const known = live
        .filter(({ name }: Record<string, unknown>, at: number) => names.indexOf(name) === at)
        .map(({ name, environment, scopes }: Record<string, unknown>) => ({
          ...{ name, environment, scopes },
        }))
      const added = { name: 'made by apply', environment: 'dev', scopes: ['ingest', 'read'] }
      const elsewhere = { name: 'far', environment: 'production', scopes: ['read'] }
      const stream = {
        ...{ name: 'apply stream', url: { env: 'HOOK' }, decisions: true, environment: 'dev' },
      }
      const alert = {
        ...{ name: 'apply alert', signal: 'blocked_stops', environment: 'dev', enabled: false },
        ...{ window_minutes: 60, threshold: 1000, destinations: ['hook'] },
      }
      const project = {
        destinations: { hook: { kind: 'webhook', url: { env: 'HOOK' } } },
        keys: [...known, added, elsewhere],
        webhook_streams: [stream],
        alerts: [alert],
      }
      declare(project)
      const plan = await run('apply project.json')
      expect(plan).toMatchObject({ code: 2, err: '' })
      expect(plan.out).toContain('+ key made by apply of dev: create with ingest, read')
      expect(plan.out).toContain('+ webhook stream apply stream: create')
      expect(plan.out).toContain('+ alert apply alert: create for blocked_stops in dev')
      expect(plan.out).toContain('key far: needs an API key of production')
      expect(fs.existsSync(path.join(cwd, SECRETS))).toBe(false)
      expect((await run('apply project.json --plan')).out).toBe(plan.out)

      const applied = await run('apply project.json --yes')
      expect(applied).toMatchObject({ code: 0, out: expect.stringContaining('Done.') })
      const file = path.join(cwd, SECRETS)
      expect(fs.statSync(file).mode & 0o777).toBe(0o600)
      const [line = ''] = fs.readFileSync(file, 'utf8').split('\n')
      const { secret } = JSON.parse(line)
      expect(secret).toMatch(/^sbx_/)
      for (const hidden of [secret, 'secret-path']) expect(applied.out).not.toContain(hidden)
      expect((await signalbox('runtimes list', { cwd, key: secret })).code).toBe(0)

      expect(await run('apply project.json --yes')).toMatchObject({ code: 0 })
      const again = JSON.parse((await run('apply project.json --plan --json')).out)
      expect(again).toMatchObject({ ok: true, done: [], waiting: [] })

      declare({ ...project, keys: [...known, elsewhere], webhook_streams: [], alerts: [] })
      const kept = await run('apply project.json')
      expect(kept.out).toMatch(/key made by apply \(sbx_\w+\) is not declared: --prune removes it/)
      const pruned = await run('apply project.json --prune --yes')
      expect(pruned.out).toMatch(/- key made by apply \(sbx_\w+\): remove/)
      expect(pruned.out).toContain('- webhook stream apply stream: remove')
      expect(pruned.code).toBe(0)
      // A web process knows a key for some time after its last use.
      await vi.waitFor(
        async () => expect((await signalbox('runtimes list', { cwd, key: secret })).code).toBe(2),
        { timeout: 30_000, interval: 500 },
      )
    })

    test.runIf(IS_SOAK)(
      'apply stops at a refused step and continues later; it never removes its key, and refuses unusable input',
      async () => {
        const { cwd, run, declare } = await newManager()
        const environment = { name: `e-${Date.now().toString(36)}` }
        const stream = {
          name: 'refused',
          url: 'https://127.0.0.1/',
          decisions: true,
          environment: 'dev',
        }
        declare({ environments: [{ name: 'dev' }, environment], webhook_streams: [stream] })
        const failed = await run('apply project.json --yes')
        expect(failed.code).toBe(1)
        expect(failed.out).toContain('inside the server’s network')
        expect(failed.out).toContain(`done      + environment ${environment.name}: create`)
        expect(failed.out).toContain('not done  + webhook stream refused: create')
        declare({ environments: [{ name: 'dev' }, environment], webhook_streams: [] })
        expect((await run('apply project.json --yes')).code).toBe(0)

        declare({ keys: [], members: [] })
        const plan = await run('apply project.json --prune')
        expect(plan.out).toContain('cannot remove itself')
        expect(plan.out).toContain('only users remove an admin')
        declare({ keys: [{ name: 'x', environment: 'dev', scopes: ['everything'] }] })
        expect(await run('apply project.json')).toMatchObject({
          code: 1,
          err: expect.stringContaining('/keys/0/scopes/0'),
        })
        declare({ keys: [{ name: 'x', environment: 'nope', scopes: ['read'] }] })
        expect(await run('apply project.json')).toMatchObject({
          code: 1,
          err: expect.stringContaining('/keys/0/environment: There is no environment "nope"'),
        })
        declare({
          keys: ['publish', 'read'].map((scope) => ({
            ...{ name: `x ${scope}`, environment: 'dev', scopes: [scope] },
          })),
        })
        const blocked = '+ key x publish of dev: create with publish: needs a key with publish'
        expect(await run('apply project.json')).toMatchObject({
          code: 2,
          out: expect.stringContaining(blocked),
        })
        for (const words of ['Done, except for', 'No changes, except for']) {
          const partly = await run('apply project.json --yes')
          expect(partly.code).toBe(3)
          expect(partly.out.split(words)[1]).toContain(blocked)
        }
        declare({ keys: [{ name: 'y', environment: 'dev', scopes: ['read'] }] })
        fs.chmodSync(path.join(cwd, SECRETS), 0o644)
        expect((await run('apply project.json --yes')).err).toContain('Other users can read')
      },
    )

    test('streams are listed with the number of the last record, and one is resumed by its id', async () => {
      const { run } = await newManager()
      const id = await shipped().product.made('create-a-webhook-stream')
      expect((await run('streams list')).out).toContain(id)
      const { rows } = JSON.parse((await run('streams list --json')).out)
      expect(rows).toContainEqual(expect.objectContaining({ id, number: 0 }))
      expect(await run(`streams resume ${id}`)).toMatchObject({ code: 0, out: 'Resumed.\n' })
      expect((await run('streams resume none')).code).toBe(2)
    })
  })

  describe.concurrent('CLI commands for configs', () => {
    // An hour is longer than this test may take: it fails if the first publish waits for a runtime.
    test('a file is released to dev without a runtime to wait for, and pulled elsewhere with its formatting', async () => {
      const one = newPrompt()
      one.write(['test'])
      expect(await one.run('check')).toMatchObject({ code: 0 })
      expect(await one.run(`diff --env dev ${one.name}`)).toMatchObject({
        code: 1,
        out: expect.stringContaining('+ Policy order: deploy needs test first'),
      })
      const first = await one.run(`${PUBLISH} --wait --timeout 3600`)
      expect(first).toMatchObject({ code: 0, out: expect.stringContaining('v1 released to dev') })
      expect(first.out).toContain('there is nothing to wait for')
      expect((await one.run(`diff --env dev ${one.name}`)).code).toBe(0)
      expect((await one.run(PUBLISH)).out).toContain('dev already runs it, as v1')

      const other = newFolder()
      expect((await one.run(`pull ${one.name} --env dev`, { cwd: other })).code).toBe(0)
      expect(fs.readFileSync(path.join(other, one.file), 'utf8')).toBe(one.read())
    })

    test.runIf(IS_SOAK)(
      'a draft changed since the pull is not overwritten by default',
      async () => {
        const one = await newPublished()
        const { ns, key } = one
        const { ask, tell } = shipped().person
        const { draft } = (await ask('drafts.open', { ns, key })) as {
          draft: { id: string; revision: number }
        }
        const seenDraft = { id: draft.id, revision: draft.revision }
        const text = formatOddly(one, ['somebody_else'])
        await tell('drafts.save', { ns, key, text, seen: seenDraft, baseVersion: null })

        one.write(['test', 'build'])
        expect(await one.run('push')).toMatchObject({
          code: 1,
          out: expect.stringContaining('Bench has a draft'),
        })
        expect(await ask('drafts.open', { ns, key })).toMatchObject({ draft: { text } })
        expect(await one.run(`pull ${one.name} --draft`)).toMatchObject({
          code: 1,
          out: expect.stringContaining('was changed here'),
        })
        expect((await one.run('push --overwrite')).code).toBe(0)
        expect(await ask('drafts.open', { ns, key })).toMatchObject({ draft: { text: one.read() } })
      },
    )

    test.runIf(IS_SOAK)(
      'a folder without a base needs --was, and then publishes like any other',
      async () => {
        const one = await newPublished()
        const was = path.join(one.cwd, 'guardrails')
        const [blind, first, second] = [newFolder(), newFolder(), newFolder()]
        one.write(['test', 'build'], blind)
        expect(await one.run(PUBLISH, { cwd: blind })).toMatchObject({
          code: 1,
          out: expect.stringContaining('--was'),
        })
        one.write(['test', 'first'], first)
        one.write(['test', 'second'], second)
        expect(await one.run(`${PUBLISH} --was ${was}`, { cwd: first })).toMatchObject({
          code: 0,
          out: expect.stringContaining('v2 released to dev'),
        })
        // An older folder must not undo changes that were made elsewhere in dev.
        expect(await one.run(`${PUBLISH} --was ${was}`, { cwd: second })).toMatchObject({
          code: 1,
          out: expect.stringContaining('dev runs v2, and this draft was made from v1'),
        })
      },
    )

    test('a share is raised, a rollout stopped, and a shadow version set and ended, in the name of the key', async () => {
      const one = await newPublished()
      one.write(['test', 'build'])
      const { configs } = JSON.parse((await one.run(`${PUBLISH} --share 10 --json`)).out)
      const id = configs[0].rollout
      expect(await one.run(`rollouts share ${id} 25% --note "as good"`)).toMatchObject({
        code: 0,
        out: `${id}: 25% of new sessions\n`,
      })
      const { rows } = JSON.parse((await one.run(`rollouts list ${one.name} --json`)).out)
      expect(rows).toMatchObject([{ id, state: 'running', share: 250 }])
      expect(await one.run(`rollouts share ${id} 25`)).toMatchObject({
        code: 2,
        err: expect.stringContaining('/share: The share is 25% already.'),
      })
      expect(await one.run(`rollouts shadow ${one.name} 2 --env dev`)).toMatchObject({ code: 0 })
      expect((await one.run(`rollouts shadow ${one.name} none --env dev`)).code).toBe(0)
      expect(await one.run(`rollouts stop ${id}`, { key: 'staging' })).toMatchObject({
        code: 2,
        err: expect.stringContaining('belongs to staging'),
      })
      expect((await one.run(`rollouts stop ${id} --note enough`)).code).toBe(0)
      expect((await one.run(`rollouts list ${one.name}`)).out).toMatch(/stopped +2 +1 +250/)
      const audit = await signalbox('audit list --limit 50 --json', {
        cwd: one.cwd,
        key: 'agent',
      })
      const entries = JSON.parse(audit.out).rows as readonly Record<string, unknown>[]
      const own = entries.filter(({ target }) => target === id)
      expect(own.map(({ action }) => action)).toEqual([
        ...['rollout.stopped', 'rollout.share_changed', 'rollout.started'],
      ])
      for (const { actor } of own) expect(actor).toMatch(/^key dev read publish \(sbx_/)
    })

    test('a backtest is started, waited for and canceled; a case that the draft breaks exits with 1', async () => {
      const one = newPrompt()
      one.write(['test'])
      await one.run('push')
      const start = `backtests start ${one.name}`
      const started = JSON.parse((await one.run(`${start} --json`)).out)
      expect((await one.run(`backtests cancel ${started.id}`)).code).toBe(0)
      const waited = await one.run(`${start} --last 5 --wait --json`)
      expect(waited.code).toBe(0)
      const { id, ...report } = JSON.parse(waited.out)
      expect(report).toMatchObject({
        status: 'done',
        sample: { kind: 'last', sessions: 5, environment: 'dev' },
      })
      expect((await one.run(`backtests list ${one.name}`)).out).toContain(id)
      expect((await one.run(`backtests show ${id}`)).out).toMatch(/^status +done$/m)
      expect((await one.run(`backtests show ${id}`, { key: 'staging' })).code).toBe(2)
      expect(await one.run(`${start} 7`)).toMatchObject({
        code: 2,
        err: expect.stringContaining('There is no version 7.'),
      })

      const pinned = await shipped().product.newCase()
      const name = 'cases/http/recorded'
      expect((await one.run(`cases list ${name}`)).out).toContain(pinned)
      expect(
        (await one.run(`cases change ${pinned} --expect denied --note "It is risky."`)).code,
      ).toBe(0)
      const broken = await one.run(`backtests start ${name} --cases-only --wait --json`)
      expect(broken.code).toBe(1)
      expect(JSON.parse(broken.out).results).toContainEqual(
        expect.objectContaining({ case: pinned, expected: 'denied' }),
      )
      expect(await one.run(`cases change ${pinned} --expect blocked`)).toMatchObject({
        code: 2,
        err: expect.stringContaining('/expected: A call should be allowed or denied.'),
      })
      expect((await one.run(`cases unpin ${pinned}`)).code).toBe(0)
      expect((await one.run(`cases unpin ${pinned}`)).code).toBe(2)
    })

    test('claims are added from the file that prove checks, hold up a version that breaks one, and are removed', async () => {
      const one = newPrompt()
      one.write(['test'])
      expect((await one.run(PUBLISH)).code).toBe(0)
      const question = { ask: 'run_without', tool: 'deploy', needs: 'test' }
      const claims = path.join(one.cwd, 'claims.json')
      const write = (more: object = {}) =>
        fs.writeFileSync(
          claims,
          JSON.stringify({ claims: [{ question: { ...question, ...more }, expect: 'never' }] }),
        )
      write()
      const added = await one.run(`claims add ${one.name} claims.json --json`)
      expect(added.code).toBe(0)
      const [id] = JSON.parse(added.out).ids
      expect((await one.run(`claims list ${one.name}`)).out).toContain(
        `${id}  never   Can \`deploy\` run without \`test\`?`,
      )
      one.write(['build'])
      expect(await one.run(PUBLISH)).toMatchObject({
        code: 1,
        out: expect.stringContaining('1 claim broken. Can `deploy` run without `test`?'),
      })
      fs.writeFileSync(claims, JSON.stringify({ claims: [{ question, expect: 'possible' }] }))
      expect(await one.run(`claims add ${one.name} claims.json`)).toMatchObject({
        code: 2,
        err: expect.stringContaining('Remove that claim first.'),
      })
      expect((await one.run(`claims remove ${id}`)).code).toBe(0)
      expect((await one.run(`claims remove ${id}`)).code).toBe(2)
      expect((await one.run(PUBLISH)).code).toBe(0)
    })

    test.runIf(IS_SOAK)(
      'an invalid file exits with its position and 1; an invalid name, key or folder with 2',
      async () => {
        const one = newPrompt()
        one.write(['test'])
        const broken = formatOddly(one, ['test']).replace('sequential_dependency', 'no_such_type')
        fs.writeFileSync(path.join(one.cwd, one.file), broken)
        expect(await one.run('check')).toMatchObject({
          code: 1,
          out: expect.stringContaining('/policies/0'),
        })
        expect(await one.run('diff nowhere --env dev')).toMatchObject({
          code: 2,
          err: expect.stringContaining('"nowhere" is not a prompt'),
        })
        expect((await one.run('pull', { key: 'sbx_none' })).code).toBe(2)
        const cwd = newFolder()
        for (const words of ['check', 'push', 'publish --env dev']) {
          const ran = await one.run(words, { cwd })
          expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('There is no folder') })
        }
        expect((await one.run('export all.json', { key: 'sbx_none' })).code).toBe(2)
      },
    )

    test('promote goes from dev to staging to production, whose refusal names all missing requirements', async () => {
      const one = await newPublished()
      const promote = (to: string, from: string, words = '') =>
        one.run(`promote ${one.name} --from ${from} --to ${to} ${words}`, { key: to })
      // A key of dev cannot release to another environment.
      expect(await one.run(`promote ${one.name} --from dev --to staging`)).toMatchObject({
        code: 2,
        err: expect.stringContaining('belongs to dev'),
      })
      expect((await promote('staging', 'dev')).code).toBe(0)
      const refused = await promote('production', 'staging')
      expect(refused.code).toBe(1)
      expect(refused.out).toContain('needs a note')
      expect(refused.out).toContain(
        'Type "production" exactly to confirm a release to production. Send it as confirm.',
      )
      const passed = '--note "go" --confirm production'
      expect(await promote('production', 'staging', passed)).toMatchObject({
        code: 0,
        out: expect.stringContaining('v1 released to production'),
      })
      expect(await promote('production', 'staging', passed)).toMatchObject({
        code: 0,
        out: expect.stringContaining('already runs it'),
      })
    })

    test.runIf(IS_SOAK)(
      '--share stages a release to a share of new sessions, and --watch watches a release to all',
      async () => {
        const one = await newPublished()
        one.write(['test', 'build'])
        const staged = await one.run(`${PUBLISH} ${one.name} --share 10`)
        expect(staged.out).toContain('v2 staged in dev as revision')
        expect(staged).toMatchObject({
          code: 0,
          out: expect.stringContaining('the other sessions keep v1'),
        })
        expect((await one.run(`${PUBLISH} --watch 24 --guard moon:1:5`)).code).toBe(2)
        expect(await one.run(`${PUBLISH} --watch 24 --guard blocks:2:10`)).toMatchObject({
          code: 0,
          out: expect.stringContaining('v2 released to dev'),
        })
      },
    )

    test('--tighten tightens running sessions, and is refused where it would loosen them', async () => {
      const one = newPrompt()
      const refused = { code: 1, out: expect.stringContaining('cannot be tightened') }
      const promote = `promote ${one.name} --from dev --to staging`
      one.write(['test', 'build'])
      await one.run(PUBLISH)
      expect((await one.run(promote, { key: 'staging' })).code).toBe(0)
      one.write(['test'])
      expect(await one.run(`${PUBLISH} --tighten`)).toMatchObject(refused)
      expect((await one.run(PUBLISH)).code).toBe(0)
      expect(await one.run(`${promote} --tighten`, { key: 'staging' })).toMatchObject(refused)

      const back = (words: string) => one.run(`rollback ${one.name} --env dev ${words}`)
      const { code, out } = await back('--tighten --to 1 --json')
      expect(code).toBe(0)
      expect(JSON.parse(out)).toMatchObject({
        ok: true,
        configs: [{ key: one.key, result: 'released', version: 1 }],
      })
      expect(await back('--tighten --to 2')).toMatchObject(refused)
      // There is no version before the first.
      expect((await back('')).code).toBe(2)
    })

    test('--wait exits with 0 when the runtime applied the release, and with 1 when it rejects it or is silent', async ({
      onTestFinished,
    }) => {
      const one = newPrompt()
      one.write(['test'])
      const { product } = shipped()
      const runtime = await connect(product, one.name)
      onTestFinished(runtime.stop)
      const waiting = one.run(`${PUBLISH} --wait --timeout 60`)
      const revision = await newest(product, one.params, 0)
      await runtime.beat({ applied: { revision, digest: DIGEST, source: 'server' } })
      expect(await waiting).toMatchObject({
        code: 0,
        out: expect.stringContaining('is live on 1 of 1'),
      })

      one.write(['test', 'build'])
      const refusing = one.run(`${PUBLISH} --wait --timeout 60`)
      const next = await newest(product, one.params, revision)
      const applied = { revision, digest: DIGEST, source: 'server' }
      await runtime.beat({ applied, rejected: { revision: next, reason: 'unknown type Lunar' } })
      expect(await refusing).toMatchObject({
        code: 1,
        out: expect.stringContaining('waiting rejected it: unknown type Lunar'),
      })

      await runtime.beat({ applied })
      one.write(['test', 'lint'])
      expect(await one.run(`${PUBLISH} --wait --timeout 1`)).toMatchObject({
        code: 1,
        out: expect.stringContaining('applied by 0 of 1'),
      })
    })

    test('import shows its additions, applies them with --yes, and conflicts with another version 1', async () => {
      const one = await newPublished()
      const exported = await one.run('export all.json --json')
      expect(exported.code).toBe(0)
      expect(JSON.parse(exported.out)).toMatchObject({ ok: true })
      const file = path.join(one.cwd, 'all.json')
      const document = JSON.parse(fs.readFileSync(file, 'utf8'))
      const own = document.configs.find(({ key }: Prompt) => key === one.key)
      expect(own.versions).toHaveLength(1)
      const writePromptFile = (prompt: Prompt, needs: readonly string[]) => {
        const text = formatOddly(prompt, needs)
        const version = { ...own.versions[0], text, digest: computeDigest(JSON.parse(text)) }
        const { ns, key } = prompt
        const configs = [{ ...own, ns, key, versions: [version], live: [] }]
        fs.writeFileSync(file, JSON.stringify({ ...document, configs }))
      }
      writePromptFile(one, ['test'])
      expect(await one.run('import all.json')).toMatchObject({
        code: 0,
        out: expect.stringContaining(`= ${one.name}: is here already`),
      })
      const other = newPrompt()
      writePromptFile(other, ['test'])
      expect((await other.run('import all.json --yes', { cwd: one.cwd })).out).toContain(
        'Imported.',
      )
      expect((await other.run(`pull ${other.name}`)).code).toBe(0)
      expect(other.read()).toBe(formatOddly(other, ['test']))
      writePromptFile(one, ['build'])
      expect((await one.run('import all.json --yes')).code).toBe(1)
      fs.writeFileSync(file, '{"export_version": 2}')
      expect((await one.run('import all.json')).code).toBe(2)
    })
  })

  describe.concurrent('CLI commands without a config on the server', () => {
    test('validate, lint and replay exit with 0, 1 or 2 for a valid, an invalid or a missing file', async () => {
      const cwd = newFolder()
      const lines = (events: readonly object[]) =>
        events.map((event) => `${JSON.stringify(event)}\n`)
      fs.writeFileSync(path.join(cwd, 'good.json'), JSON.stringify(DOCUMENT))
      fs.writeFileSync(path.join(cwd, 'bad.json'), '{"schema_version":1}')
      fs.writeFileSync(path.join(cwd, 'log.jsonl'), lines(LOG).join(''))
      fs.writeFileSync(path.join(cwd, 'forged.jsonl'), lines(FORGED).join(''))
      for (const name of ['validate', 'lint']) {
        expect((await signalbox(`${name} good.json`, { cwd })).code).toBe(0)
        expect((await signalbox(`${name} bad.json`, { cwd })).code).toBe(1)
        expect((await signalbox(`${name} none.json`, { cwd })).code).toBe(2)
      }
      const replay = (log: string) => signalbox(`replay ${log} --config good.json --check`, { cwd })
      expect((await replay('log.jsonl')).code).toBe(0)
      expect((await replay('forged.jsonl')).code).toBe(1)
      expect((await replay('none.jsonl')).code).toBe(2)
    })

    test('prove exits with 0 or 1 for what no run or some run does, with 2 for an unknown rule, and with 3 if it does not know', async () => {
      const cwd = newFolder()
      const policies = [
        { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } },
        {
          id: 'more',
          type: 'expression',
          tools: ['refund'],
          require: 'calls.refund.succeeded < calls.look.succeeded',
        },
      ]
      fs.writeFileSync(path.join(cwd, 'config.json'), JSON.stringify({ ...DOCUMENT, policies }))
      const prove = (words: string) => signalbox(`prove ${words} --config config.json`, { cwd })
      expect(await prove('run deploy --without test')).toMatchObject({
        code: 0,
        out: expect.stringContaining('No. No run allows such a call. It rests on `order`.'),
      })
      expect((await prove('run deploy --without test --since edit')).code).toBe(1)
      expect((await prove('decisive orders')).code).toBe(2)
      expect((await prove('run refund --without look')).code).toBe(3)
      const claim = { question: { ask: 'run_without', tool: 'deploy', needs: 'test' } }
      const file = (expect: string) =>
        fs.writeFileSync(
          path.join(cwd, 'claims.json'),
          JSON.stringify({ claims: [{ ...claim, expect }] }),
        )
      file('never')
      expect((await prove('claims claims.json')).code).toBe(0)
      file('possible')
      expect((await prove('claims claims.json')).code).toBe(1)
    })

    test('learn exits with 0 without proposals, with 1 for a proposal, and with 2 for a log that is missing', async () => {
      const cwd = newFolder()
      const world = {
        seed: 11,
        rules: [{ kind: 'order', tool: 'migrate_db', needs: 'backup_db' }],
      } as const
      const tell = (count: number) =>
        Array.from({ length: count }, (_, i) => tellSession(world, i).events)
          .flat()
          .map((event) => `${JSON.stringify(event)}\n`)
          .join('')
      fs.mkdirSync(path.join(cwd, 'logs'))
      fs.writeFileSync(path.join(cwd, 'logs', 'many.jsonl'), tell(80))
      fs.writeFileSync(path.join(cwd, 'few.jsonl'), tell(5))
      expect(await signalbox('learn logs --irreversible migrate_db', { cwd })).toMatchObject({
        code: 1,
        out: expect.stringContaining('`migrate_db` ran only when `backup_db` had succeeded.'),
      })
      expect(await signalbox('learn few.jsonl', { cwd })).toMatchObject({
        code: 0,
        out: expect.stringContaining('5 good sessions: too few. A proposal needs 20.'),
      })
      expect((await signalbox('learn missing.jsonl', { cwd })).code).toBe(2)
    })

    test('prevent exits with 0 for a change of the rules, with 1 if only a reviewer can tell, and with 2 for an event that decides nothing', async () => {
      const cwd = newFolder()
      fs.mkdirSync(path.join(cwd, 'good'))
      const call = (id: string, tool: string, args: object) => [
        { type: 'tool.requested', data: { call_id: id, tool, args } },
        { type: 'tool.invoked', data: { call_id: id, tool, outcome: 'success' } },
      ]
      const write = (name: string, session: string, calls: readonly object[]) => {
        const head = {
          ns: 'team',
          key: 'coder',
          environment: 'dev',
          harness: { name: 'library' },
        }
        const all = [
          { type: 'session.started', data: { semantics: 2, ...head } },
          ...calls,
          { type: 'session.ended', data: { reason: 'completed' } },
        ]
        const events = all.map((event, i) => ({ session, seq: i + 1, at: 1000 * i, ...event }))
        fs.writeFileSync(
          path.join(cwd, name),
          events.map((event) => `${JSON.stringify(event)}\n`).join(''),
        )
      }
      for (let i = 0; i < 3; i++)
        write(`good/${i}.jsonl`, `sess_good${i}`, call('c', 'bash', { command: 'git push' }))
      write('bad.jsonl', 'sess_bad', call('c', 'bash', { command: 'git push --force' }))
      write('usual.jsonl', 'sess_usual', call('c', 'bash', { command: 'git push' }))
      const prevent = (words: string) => signalbox(`prevent ${words} --good good`, { cwd })
      expect(await prevent('bad.jsonl --at 2')).toMatchObject({
        code: 0,
        out: expect.stringContaining('contains(" --force ")'),
      })
      expect((await prevent('usual.jsonl --at 2')).code).toBe(1)
      expect((await prevent('bad.jsonl --at 1')).code).toBe(2)
    })

    test('completion prints every command for bash, and refuses an unknown shell', async () => {
      const cwd = newFolder()
      const { code, out } = await signalbox('completion bash', { cwd })
      expect(code).toBe(0)
      for (const name of Object.keys(EXITS)) expect(out).toContain(name)
      expect((await signalbox('completion cmd', { cwd })).code).toBe(2)
    })

    test('open exits with 0 for a verified bundle, and with 1, 2 or 3 for a forged, a damaged or a partial one', async () => {
      const cwd = newFolder()
      const bundle = (name: string, bytes: Uint8Array) => {
        fs.writeFileSync(path.join(cwd, name), bytes)
        return signalbox(`open ${name} --key ${derivePublicKey(SEED)}`, { cwd })
      }
      expect((await bundle('whole', sealed())).code).toBe(0)
      expect((await bundle('forged', sealed(headFor(FORGED), FORGED))).code).toBe(1)
      expect((await bundle('cut', sealed().slice(0, -20))).code).toBe(2)
      expect((await bundle('part', sealed(headFor(LOG), LOG.slice(2)))).code).toBe(3)
    })

    test('import-wink stores a session once, and reports events that conflict with stored ones', async () => {
      const cwd = newFolder()
      fs.writeFileSync(path.join(cwd, 'bundle.zip'), winkArchive('cli'))
      fs.writeFileSync(path.join(cwd, 'other.zip'), winkArchive('cli', 'another'))
      const bring = (file: string, key = 'agent') => signalbox(`import-wink ${file}`, { cwd, key })
      const first = await bring('bundle.zip')
      expect(first).toMatchObject({
        code: 0,
        out: expect.stringMatching(/\/sessions\/sess_wink/),
      })
      expect((await bring('bundle.zip')).code).toBe(0)
      expect(await bring('other.zip')).toMatchObject({
        code: 1,
        err: expect.stringContaining('conflict'),
      })
      expect((await bring('bundle.zip', 'dev')).code).toBe(2)
    })

    test('import-permissions turns the files of an agent into a config that validate accepts', async () => {
      const cwd = newFolder()
      const write = (name: string, text: string) => fs.writeFileSync(path.join(cwd, name), text)
      write('settings.json', '{ "permissions": { "deny": ["Bash(curl:*)"] } }')
      write('requirements.toml', 'allowed_sandbox_modes = ["read-only"]')
      const bring = (words: string) =>
        signalbox(`import-permissions ${words} --prompt team/agents/coder`, { cwd })
      expect(await bring('claude settings.json --out config.json')).toMatchObject({
        code: 0,
        out: expect.stringContaining('stricter     deny Bash(curl:*)'),
      })
      expect((await signalbox('validate config.json', { cwd })).code).toBe(0)
      expect(await bring('codex requirements.toml')).toMatchObject({
        code: 1,
        err: expect.stringContaining('not carried  allowed_sandbox_modes'),
      })
      expect((await bring('claude requirements.toml')).code).toBe(2)
    })

    test.each([
      ['mcp-proxy', 'initialize'],
      ['acp-proxy', 'initialize'],
    ])('%s ends with its client or its server, and refuses to start without one', async (name) => {
      const cwd = newFolder()
      const env = { SIGNALBOX_PROMPT: 'demo/release-notes' }
      const call = { cwd, env, key: 'agent' }
      expect((await signalbox(`${name} -- cat`, call)).code).toBe(0)
      // Does not end standard input, so the client stays connected.
      const words = `${name} -- true`
      expect((await ended(words, start(words, call))).code).toBe(1)
      expect((await signalbox(`${name} -- ./none`, call)).code).toBe(2)
    })

    test('a relay serves the bundle of its control plane until it is stopped', async () => {
      const cwd = newFolder()
      const words = 'relay --data relay --port 0'
      const relay = start(words, { cwd })
      const end = ended(words, relay)
      const [, url = ''] =
        /(http:\/\/127\.0\.0\.1:\d+) for/.exec(await said(relay, /:\d+ for/)) ?? []
      const answer = await fetch(`${url}/api/runtime/v1/config`, {
        headers: { authorization: `Bearer ${keys['agent']}` },
      })
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringContaining('release-notes'),
      ])
      relay.kill('SIGTERM')
      expect((await end).code).toBe(0)
      expect((await signalbox('relay --data relay --port none', { cwd })).code).toBe(2)
    })
  })

  describe.concurrent('CLI commands for harnesses', () => {
    const names = ADAPTERS.flatMap(({ name, init }) => (init === null ? [] : [name]))

    test.each(selectSample(names, 3))('init sets %s up for a user, and undoes it', async (name) => {
      const home = newFolder()
      const env = { HOME: home, SIGNALBOX_SOCKET: path.join(home, 'd.sock') }
      const call = { cwd: newFolder(), env }
      const { out } = await signalbox(`init ${name} --scope user --yes`, call)
      const [, file = ''] = /^(.*): written$/m.exec(out) ?? []
      expect(file.startsWith(home)).toBe(true)
      expect(fs.readFileSync(file, 'utf8')).toContain(name === 'opencode' ? 'Signalbox' : 'd-hook')
      expect((await signalbox(`init ${name} --scope user --undo --yes`, call)).code).toBe(0)
      expect(fs.existsSync(file)).toBe(false)
    })

    test('a daemon enforces the released config, doctor proves it, and open reads the exported decision', async () => {
      const cwd = newFolder()
      const socket = path.join(cwd, 'd.sock')
      const env = { SIGNALBOX_SOCKET: socket, SIGNALBOX_PROMPT: 'demo/release-notes', HOME: cwd }
      const call = { cwd, env, key: 'agent' }
      expect((await signalbox('daemon --port none', call)).code).toBe(2)
      const words = 'daemon --port off'
      const daemon = start(words, call)
      const end = ended(words, daemon)
      await said(daemon, /signalbox daemon: demo\/release-notes on /)

      const hooks = claudeHooks('from the tarball', cwd)
      const hook = (input: object) =>
        signalbox('hook claude-code', { ...call, input: JSON.stringify(input) })
      const denied = await hook(hooks.pre('publish_notes', 'c1'))
      expect(denied).toMatchObject({ code: 0, out: expect.stringContaining('run_tests') })
      expect((await signalbox('hook emacs', call)).code).toBe(2)

      const alone = { ...call, env: { ...env, PATH: path.join(folder, 'bin') } }
      expect((await signalbox('doctor', alone)).code).toBe(2)
      const settings = path.join(cwd, '.claude/settings.local.json')
      const before = '{"permissions" : {"allow":\t["Bash(ls:*)"]}}'
      fs.mkdirSync(path.dirname(settings))
      fs.writeFileSync(settings, before)
      expect(await signalbox('init claude-code', call)).toMatchObject({
        code: 0,
        out: expect.stringContaining('Nothing was written'),
      })
      expect(fs.readFileSync(settings, 'utf8')).toBe(before)
      for (const name of names) await signalbox(`init ${name} --yes`, call)
      const examined = await signalbox(`doctor ${names.join(' ')}`, call)
      expect(examined).toMatchObject({ code: 0, out: expect.stringContaining('daemon: answers') })
      expect(examined.out.match(/live: the canary was refused/g)).toHaveLength(names.length)
      for (const name of names) await signalbox(`init ${name} --undo --yes`, call)
      expect(fs.readFileSync(settings, 'utf8')).toBe(before)
      expect((await signalbox('doctor codex', call)).code).toBe(1)
      expect((await signalbox('init emacs', call)).code).toBe(2)

      daemon.kill('SIGTERM')
      expect((await end).code).toBe(0)
      const { person, url, product } = shipped()
      const id = await vi.waitFor(
        async () => {
          const filter = { tool: 'publish_notes' }
          const { rows: denials } = (await person.ask('decisions.list', { filter })) as {
            rows: readonly { id: string }[]
          }
          expect(denials.length).toBeGreaterThan(0)
          return denials[0]?.id
        },
        { timeout: 60_000, interval: 100 },
      )
      const file = await fetch(`${url}/api/export/decisions/${id}?format=bundle`, {
        headers: { cookie: person.cookie },
      })
      expect(file.status).toBe(200)
      fs.writeFileSync(path.join(cwd, 'decision.signalbox'), await file.text())
      const key = await publicKey(product)
      const opened = await signalbox(`open decision.signalbox --key ${key}`, call)
      expect(opened, opened.out).toMatchObject({ code: 0 })
    })
  })

  describe('the GitHub workflow', () => {
    testWorkflow(path.join(folder, 'action'), () => ({ shipped: shipped(), command }))
  })

  test('every command ended with its exit codes; in a soak, with each of them', () => {
    expect([...seen.keys()].toSorted()).toEqual(Object.keys(EXITS).toSorted())
    for (const [name, ended] of seen) {
      if (IS_SOAK) expect([...ended].toSorted(), name).toEqual(EXITS[name])
      else expect(EXITS[name], name).toEqual(expect.arrayContaining([...ended]))
    }
  })

  test('every command and exit code of the help was tested', async () => {
    const { run } = await import(path.join(command.folder, 'dist/index.js'))
    const help = async (...words: readonly string[]): Promise<string> => {
      const lines: string[] = []
      const io = { out: (line: string) => lines.push(line), err: () => undefined }
      await run([...words, '--help'], io, { env: {}, cwd: folder, home: folder })
      return lines.join('\n')
    }
    const [, list = ''] = (await help()).split('Commands:')
    const listed = [...list.matchAll(/^ {2}([a-z]\S*)/gm)].map(([, name = '']) => name)
    const names = listed.filter((name) => name !== 'help')
    expect(names.toSorted()).toEqual(Object.keys(EXITS).toSorted())
    for (const name of names) {
      const matches = (await help(name)).matchAll(/(?:^ {2}|code\s+)(\d)\b/gm)
      for (const [, code] of matches) expect(EXITS[name], name).toContain(Number(code))
    }
  })
}

const DIGEST = `sha256:${'0'.repeat(64)}`

const FORGED = chained(
  LOG.map((event) =>
    event.type === 'tool.decided'
      ? { ...event, data: { ...event.data, decision: 'allowed' as const } }
      : event,
  ),
)

async function register(product: ManagedProduct, name: string) {
  const capabilities = { policies: ['sequential_dependency'], feedback_providers: [], checkers: [] }
  const body = {
    name: 'waiting',
    sdk_version: '0.1.0',
    harness: { name: 'test' },
    prompts: [name],
    capabilities,
    posture: 'deny',
    now: Date.now(),
  }
  const { json } = await product.send('register-a-runtime', { body })
  return json
}

async function publicKey(product: ManagedProduct): Promise<string> {
  return (await register(product, 'demo/release-notes')).public_key
}

/** A runtime that hosts the prompt and repeats a given report, because a silent one counts as disconnected. */
async function connect(product: ManagedProduct, name: string) {
  const { runtime_id } = await register(product, name)
  let report: object = {}
  const send = async (): Promise<void> => {
    const counts = { now: Date.now(), live_sessions: 0, spooled_events: 0 }
    const body = { runtime_id, ...counts, applied: null, rejected: null, ...report }
    expect((await product.send('send-a-heartbeat', { body })).status).toBe(200)
  }
  let isStopping = false
  const repeated = (async () => {
    while (!isStopping) {
      await send()
      await wait(1000)
    }
  })()
  const beat = async (next: object): Promise<void> => {
    report = next
    await send()
  }
  const stop = async (): Promise<void> => {
    isStopping = true
    await repeated
    await beat({ stopping: true })
  }
  await send()
  return { beat, stop }
}

/** Revision above `after` whose bundle contains a release of the prompt, once it exists. */
async function newest(
  product: ManagedProduct,
  params: { readonly ns: string; readonly key: string },
  after: number,
): Promise<number> {
  return await vi.waitFor(
    async () => {
      const { json } = await product.send('read-a-config', { params })
      const revision = json?.live?.[0]?.revision ?? 0
      expect(revision).toBeGreaterThan(after)
      return revision as number
    },
    { timeout: 60_000, interval: 50 },
  )
}
