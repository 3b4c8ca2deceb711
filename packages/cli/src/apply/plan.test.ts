import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { LiveProject } from './live-project.ts'
import { buildPlan } from './plan.ts'
import { parseProject, requireEnvironments } from './project-file.ts'

const KEY = {
  ...{ id: 'key_own', name: 'ci', environment: 'dev', prefix: 'sbx_00000000' },
  ...{ expires_at: null, revoked_at: null, replaced_by: null },
  scopes: ['admin', 'read', 'ingest', 'sessions:read', 'publish', 'audit:read', 'approvals:answer'],
}

const LIVE: LiveProject = {
  caller: KEY,
  name: 'Support',
  environments: [],
  keys: [KEY],
  alerts: [],
  streams: [],
  people: [],
  invitations: [],
}

function plan(file: object, live: Partial<LiveProject> = {}, prune = false) {
  const text = JSON.stringify({ project_version: 1, ...file })
  const wanted = parseProject({ file: 'project.json', text, env: { HOOK: 'https://h.test/x' } })
  const { steps, left, blocked } = buildPlan(wanted, { ...LIVE, ...live }, prune)
  return { steps: steps.map(({ sign, words }) => `${sign} ${words}`), left, blocked, whole: steps }
}

const digest = (kind: string, url: string) =>
  createHash('sha256').update(`${kind} ${url}`).digest('hex')

describe('the plan of signalbox apply', () => {
  it('leaves a section that the file lacks unchanged, even with --prune', () => {
    const other = { ...KEY, id: 'key_other', name: 'other' }
    expect(plan({}, { keys: [KEY, other] }, true)).toMatchObject({ steps: [], left: [] })
  })

  it('creates a key whose scopes differ, and removes the old one last and only with --prune', () => {
    const old = { ...KEY, id: 'key_old', name: 'agents', prefix: 'sbx_11111111', scopes: ['read'] }
    const own = { name: 'ci', environment: 'dev', scopes: KEY.scopes.toReversed() }
    const file = {
      keys: [own, { name: 'agents', environment: 'dev', scopes: ['ingest'] }],
      name: 'Renamed',
    }
    const live = { keys: [KEY, old] }
    expect(plan(file, live).left).toEqual([
      'key agents (sbx_11111111) is not declared: --prune removes it',
    ])
    expect(plan(file, live, true)).toMatchObject({
      left: [],
      steps: [
        '~ project "Support": rename to "Renamed"',
        '+ key agents of dev: create with ingest',
        '- key agents (sbx_11111111): remove',
      ],
    })
  })

  it('never removes the calling key, and gives a new key no later end than that', () => {
    const file = { keys: [{ name: 'x', environment: 'dev', scopes: ['read'] }] }
    const { left, whole } = plan(file, { caller: { ...KEY, expires_at: 7 } }, true)
    expect(left).toEqual([expect.stringContaining('cannot remove itself')])
    expect(whole[0]?.request.body).toMatchObject({ expires_at: 7 })
  })

  it('leaves out what the calling key cannot grant, with the scopes that it lacks, and removes nothing before that', () => {
    const old = { ...KEY, id: 'key_old', name: 'old', prefix: 'sbx_11111111' }
    const file = {
      keys: [
        { name: 'ci', environment: 'dev', scopes: ['admin', 'read'] },
        { name: 'agents', environment: 'dev', scopes: ['ingest', 'read'] },
      ],
      members: [{ email: 'ana@example.com', role: 'publisher', publish_in: ['dev'] }],
      webhook_streams: [{ name: 's', url: 'https://h.test/', audit: true }],
      name: 'Renamed',
    }
    const ci = { ...KEY, scopes: ['admin', 'read'] }
    expect(plan(file, { keys: [ci, old], caller: ci }, true)).toMatchObject({
      steps: ['~ project "Support": rename to "Renamed"'],
      blocked: [
        { words: 'key agents of dev: create with ingest, read', needs: ['ingest'] },
        { words: 'webhook stream s: create', needs: ['audit:read'] },
        {
          words: 'member ana@example.com: invite as publisher in dev',
          needs: ['sessions:read', 'publish', 'approvals:answer'],
        },
      ],
      left: [
        'key old (sbx_11111111): remove: waits for the steps that need a key with other scopes',
      ],
    })
  })

  it('lists what belongs to another environment with the key that it needs', () => {
    const file = {
      environments: [{ name: 'production', requires_note: true }],
      keys: [{ name: 'p', environment: 'production', scopes: ['read'] }],
      webhook_streams: [
        { name: 's', url: 'https://h.test/', decisions: true, environment: 'staging' },
      ],
    }
    const production = {
      ...{ name: 'production', position: 0, revision: 1, requires_note: false },
      ...{ requires_confirm: false, requires_backtest: false, required_approvals: 0 },
      rollback_skips_approval: true,
    }
    const own = { ...KEY, replaced_by: 'key_next' }
    expect(plan(file, { environments: [production], keys: [own] })).toMatchObject({
      steps: [],
      left: [
        'environment production: requires_note false → true: needs an API key of production',
        'key p: needs an API key of production',
        'webhook stream s: needs an API key of staging',
      ],
    })
  })

  it('compares addresses by their digests, and shows none', () => {
    const alert = {
      ...{ name: 'a', signal: 'blocked_stops', environment: 'dev', window_minutes: 5 },
      ...{ threshold: 2, enabled: true, destinations: ['h'] },
    }
    const file = {
      destinations: { h: { kind: 'webhook', url: { env: 'HOOK' } } },
      alerts: [alert],
      webhook_streams: [{ name: 's', url: { env: 'HOOK' }, audit: true }],
    }
    const found = digest('webhook', 'https://h.test/x')
    const rule = {
      ...{ id: 'r', name: 'a', signal: 'blocked_stops', environment: 'dev', ns: null, key: null },
      ...{ runtime: null, code: null, window_minutes: 5, threshold: 2, enabled: true },
      destinations: [{ digest: found }],
    }
    const stream = {
      ...{ id: 'w', name: 's', digest: found, audit: true, decisions: false },
      environment: null,
    }
    expect(plan(file, { alerts: [rule], streams: [stream] }).steps).toEqual([])
    const moved = { ...rule, destinations: [{ digest: 'other' }], enabled: false, threshold: 1 }
    const { steps } = plan(file, { alerts: [moved], streams: [{ ...stream, digest: 'other' }] })
    expect(steps).toEqual([
      '~ alert a: threshold 1 → 2, other destinations',
      '~ alert a: switch on',
      '~ webhook stream s: another address',
    ])
    expect(steps.join()).not.toContain('h.test')
  })

  it('keeps every field that the file omits, also when another one changes', () => {
    const production = {
      ...{ name: 'dev', position: 0, revision: 1, requires_note: true, requires_confirm: true },
      ...{ requires_backtest: true, required_approvals: 2, rollback_skips_approval: false },
    }
    const alert = {
      ...{
        id: 'r',
        name: 'a',
        signal: 'blocked_stops',
        environment: 'dev',
        ns: 'team',
        key: 'coder',
      },
      ...{ runtime: 'box', code: 'c', window_minutes: 5, threshold: 2, enabled: false },
      destinations: [{ digest: 'kept' }],
    }
    const stream = {
      ...{ id: 'w', name: 's', digest: digest('webhook', 'https://h.test/x') },
      ...{ audit: true, decisions: true, environment: 'dev' },
    }
    const ana = { email: 'ana@example.com', role: 'publisher', publish_in: ['dev'] }
    const live = {
      environments: [production],
      alerts: [alert],
      streams: [stream],
      people: [{ ...ana, user_id: 'u' }],
    }
    const declared = {
      environments: [{ name: 'dev' }],
      alerts: [{ name: 'a', signal: 'blocked_stops', environment: 'dev' }],
      webhook_streams: [{ name: 's', url: { env: 'HOOK' } }],
      members: [{ email: ana.email, role: 'publisher' }],
    }
    expect(plan(declared, live)).toMatchObject({ steps: [], left: [] })
    const { whole } = plan(
      {
        environments: [{ name: 'dev', required_approvals: 3 }],
        alerts: [{ ...declared.alerts[0], threshold: 9 }],
        webhook_streams: [{ name: 's', url: { env: 'HOOK' }, audit: false }],
      },
      live,
    )
    expect(whole.map(({ request }) => request.body)).toEqual([
      {
        ...{ requires_note: true, requires_typed_name: true, requires_backtest: true },
        ...{ required_approvals: 3, rollback_skips_approval: false },
      },
      {
        ...{ name: 'a', signal: 'blocked_stops', environment: 'dev', ns: 'team', key: 'coder' },
        ...{ runtime: 'box', code: 'c', window_minutes: 5, threshold: 9 },
      },
      { name: 's', url: 'https://h.test/x', audit: false, decisions: true, environment: 'dev' },
    ])
  })

  it('invites, changes roles, and leaves admins to users', () => {
    const person = (email: string, role: string) => ({
      ...{ user_id: email, email, role, publish_in: null },
    })
    const file = {
      members: [
        { email: 'New@example.com', role: 'viewer' },
        { email: 'invited@example.com', role: 'viewer' },
        { email: 'ana@example.com', role: 'publisher', publish_in: ['dev'] },
        { email: 'boss@example.com', role: 'admin' },
        { email: 'root@example.com', role: 'viewer' },
      ],
    }
    const live = {
      people: [
        person('ana@example.com', 'viewer'),
        person('root@example.com', 'admin'),
        person('owner@example.com', 'admin'),
        person('gone@example.com', 'viewer'),
      ],
      invitations: [
        { ...person('invited@example.com', 'viewer'), id: 'inv_1', state: 'pending' },
        { ...person('other@example.com', 'viewer'), id: 'inv_2', state: 'pending' },
      ],
    }
    expect(plan(file, live, true)).toMatchObject({
      steps: [
        '+ member new@example.com: invite as viewer',
        '~ member ana@example.com: viewer → publisher in dev',
        '- member gone@example.com: remove',
        '- invitation of other@example.com: remove',
      ],
      left: [
        'member boss@example.com: only users make, change or remove an admin',
        'member root@example.com: only users make, change or remove an admin',
        'member owner@example.com is not declared: only users remove an admin',
      ],
    })
  })

  it.each([
    [{ keys: [{ name: 'x', environment: 'dev', scopes: ['all'] }] }, '/keys/0/scopes/0'],
    [{ webhook_streams: [{ name: 's', url: { env: 'NONE' } }] }, 'environment variable NONE'],
    [{ members: [1, 2].map(() => ({ email: 'a@b.test', role: 'viewer' })) }, 'declared twice'],
    [{ colors: [] }, 'project.json/colors: "colors" is not known here. Remove it.'],
    [{ keys: [{ environment: 'dev' }] }, 'project.json/keys/0/name: This field is required.'],
    [{ keys: [{ name: 'x', environment: 'dev', scopes: [] }] }, 'Use at least 1 entry.'],
  ])('refuses %j with one sentence', (file, words) => {
    expect(() => plan(file)).toThrow(words)
  })

  it.each([
    [{ keys: [{ name: 'x', environment: 'nope', scopes: ['read'] }] }, 'keys/0/environment'],
    [
      { members: [{ email: 'a@b.test', role: 'publisher', publish_in: ['dev', 'nope'] }] },
      'members/0/publish_in/1',
    ],
  ])('refuses %j, which names an environment that does not exist', (declared, field) => {
    const text = JSON.stringify({ project_version: 1, ...declared })
    const wanted = parseProject({ file: 'project.json', text, env: {} })
    expect(() => requireEnvironments('project.json', wanted, ['dev', 'staging'])).toThrow(
      `project.json/${field}: There is no environment "nope". The project has dev, staging.`,
    )
  })
})
