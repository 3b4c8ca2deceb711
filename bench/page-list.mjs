// The pages of the console, and the bytes of JavaScript that each may fetch before it is used.

/** @param {string} path @returns {number} compressed bytes, including lazy sections */
export function mostScriptBytes(path) {
  if (/^\/($|analytics\/|releases\/)|\/(edit|staged-rollout)\b/.test(path)) return 420_000
  return 250_000
}

/**
 * Groups of pages that have an address without an id.
 * @param {string} config path of a config's page
 */
export const listPages = (config) =>
  /** @type {const} */ ({
    'overview and lists': [
      '/',
      '/sessions',
      '/sessions/compare',
      '/stops',
      '/decisions',
      '/feedback',
      '/configs',
      '/releases',
      '/runtimes',
    ],
    'analytics, alerts and search': [
      '/search?q=release',
      '/analytics/denials',
      '/analytics/feedback',
      '/analytics/stops',
      '/analytics/plans',
      '/call-approvals',
      '/alerts',
      '/alerts/rules',
      '/alerts/destinations',
    ],
    'a config': [
      config,
      `${config}/versions`,
      `${config}/suggested`,
      `${config}/edit`,
      `${config}/edit?tab=diff`,
      `${config}/staged-rollout`,
    ],
    settings: [
      '/settings/api',
      '/settings/environments',
      '/settings/keys',
      '/settings/signing-key',
      '/settings/users',
      '/settings/profile',
      '/settings/projects',
      '/settings/audit-log',
      '/settings/webhook-streams',
      '/settings/event-log',
      '/settings/redaction',
      '/settings/retention',
    ],
    'first steps': ['/get-started', '/configs/new', '/configs/templates/coding-agent'],
  })
