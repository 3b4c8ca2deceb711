export const DAY = 86_400_000
/** Days of history that `seed-scale.mjs` adds by default. */
const HISTORY = 60
const PLACES = 20

/** Cursors of pages at places all over the history. A page begins after any instant, whether or not a row has it. */
const listPlaces = () =>
  Array.from({ length: PLACES }, (_, n) => {
    // Multiples of the golden ratio are far apart, and never repeat.
    const share = ((n + 1) * 0.618_034) % 1
    return `${Math.round(Date.now() - share * HISTORY * DAY)}~z`
  })

const holds = (field, word) => ({ kind: 'text', field, words: [word], isNegated: false })
const exceeds = (field, value) => ({
  ...{ kind: 'number', field, compare: '>', value },
  isNegated: false,
})

/** [title, inputs, asked in turn]. `samples`: rows in the middle of the data, from queries.mjs. */
export function describeLists({ middle, stop, denial }) {
  const prompt = { ns: middle.ns, key: middle.key }
  const month = { since: Date.now() - 30 * DAY }
  const places = listPlaces()
  const ask = (title, filter, more) => [title, [{ filter, ...more }]]
  const within = (title, filter, more) => ask(title, { ...month, ...filter }, more)
  const pages = (title, cursors, more) => [
    title,
    cursors.map((cursor) => ({ filter: {}, cursor, ...more })),
  ]
  const records = [
    within('30 days', {}),
    ask('all time', {}),
    ask('all time, oldest first', {}, { order: 'oldest' }),
    pages(`pages at ${PLACES} places`, places),
    pages(`pages at ${PLACES} places, oldest first`, places, { order: 'oldest' }),
    within('an environment', { environment: 'production' }),
  ]
  const recorded = [
    ...records,
    within('a prompt', { prompt }),
    within('a version', { prompt, version: 2 }),
    within('field: prompt', { terms: [holds('prompt', 'refunds')] }),
    within('words that no row has', { terms: [holds(null, 'nowhere to be found')] }),
  ]
  return [
    {
      list: 'sessions',
      procedure: 'sessions.list',
      questions: [
        ...recorded,
        ...['running', 'ended', 'lost', 'waiting', 'blocked', 'silent'].map((status) =>
          within(status, { status }),
        ),
        ...['denied', 'blocked', 'bypassed', 'deadline', 'warning'].map((verdict) =>
          within(`verdict ${verdict}`, { verdict }),
        ),
        ...['fully', 'not'].map((enforced) => within(`enforced ${enforced}`, { enforced })),
        within('a runtime', { runtime: middle.runtime }),
        within('words: a prompt', { q: 'refunds' }),
        within('words: a runtime', { q: 'worker-7' }),
        within('words: a session', { q: middle.id }),
        within('field: more than 5 denied', { terms: [exceeds('denied', 5)] }),
        within('mine', { mine: true }),
        within('most denials first', {}, { order: 'denied' }),
        pages(
          'most denials first, 10 pages',
          Array.from({ length: 10 }, (_, n) => `${n + 1}~z`),
          { order: 'denied' },
        ),
      ],
    },
    {
      list: 'stops',
      procedure: 'stops.list',
      questions: [
        ...recorded,
        within('a reason', { verdict: 'blocked', code: stop.code }),
        within('an environment, blocked', { environment: 'production', verdict: 'blocked' }),
        within('errors (none)', { verdict: 'error' }),
        within('field: a runtime', { terms: [holds('runtime', 'worker-77')] }),
        within('field: third attempt or later', { terms: [exceeds('attempt', 2)] }),
      ],
    },
    {
      list: 'decisions',
      procedure: 'decisions.list',
      questions: [
        ...recorded,
        within('a rule', { rule: denial.rule }),
        within('a rule of a prompt', { prompt, rule: denial.rule }),
        within('a tool', { tool: denial.tool }),
        within('errors (none)', { decision: 'error' }),
        within('a rule that never denied', { rule: 'nothing' }),
        within('field: could not be evaluated', {
          terms: [holds('class', 'could-not-evaluate')],
        }),
      ],
    },
    {
      list: 'feedback',
      procedure: 'feedback.list',
      questions: [
        ...recorded,
        within('warnings', { severity: 'warning' }),
        within('not followed', { followed: 'no' }),
        within('a provider', { provider: 'tool_usage' }),
        within('a provider that never spoke', { provider: 'nothing' }),
      ],
    },
    {
      list: 'audit log',
      procedure: 'auditLog.list',
      questions: [
        ...records.slice(0, -1),
        ask('an action', { action: 'key.created' }),
        ask('one user', { actor: 'usr_7' }),
        ask('a target', { target: 'cfg_7' }),
        ask('words that no row has', { terms: [holds(null, 'nowhere to be found')] }),
      ],
    },
    { list: 'releases', procedure: 'releases.list', questions: records },
    {
      list: 'runtimes',
      procedure: 'runtimes.page',
      questions: [
        ask('all', {}),
        ask('an environment', { environment: 'production' }),
        ask('a deployment', { group: 'team-3-worker' }),
        pages(
          `pages at ${PLACES} places`,
          Array.from({ length: PLACES }, (_, n) => `6~team-${n}-worker~z`),
        ),
      ],
    },
    {
      list: 'configs',
      procedure: 'configs.list',
      questions: [
        ask('all', {}),
        ask('all, reversed', {}, { order: 'reversed' }),
        ask('an environment', { environment: 'production' }),
        ask('words', { q: 'refunds' }),
        ...['draft', 'apart', 'behind', 'unreleased'].map((show) => ask(show, { show })),
        pages(
          'pages at 10 places',
          Array.from({ length: 10 }, (_, n) => `team-${n}~a`),
        ),
      ],
    },
    {
      list: 'alerts',
      procedure: 'alerts.list',
      questions: [
        ...records,
        ...['firing', 'resolved', 'muted'].map((state) => ask(state, { state })),
        ask('field: a rule', { terms: [holds('rule', 'rule 7')] }),
        ask('words that no row has', { terms: [holds(null, 'nowhere to be found')] }),
      ],
    },
  ]
}
