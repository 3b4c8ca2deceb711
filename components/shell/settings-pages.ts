export const SETTINGS_PAGES = [
  { href: '/settings/keys', name: 'API keys' },
  { href: '/settings/users', name: 'Users' },
  { href: '/settings/environments', name: 'Environments' },
  { href: '/settings/projects', name: 'Projects' },
  { href: '/settings/profile', name: 'Profile' },
  { href: '/settings/retention', name: 'Retention' },
  { href: '/settings/redaction', name: 'Redaction' },
  { href: '/settings/webhook-streams', name: 'Webhook streams' },
  { href: '/settings/event-log', name: 'Event log' },
  { href: '/settings/signing-key', name: 'Signing key' },
  { href: '/settings/audit-log', name: 'Audit log' },
  { href: '/settings/api', name: 'API' },
] as const
