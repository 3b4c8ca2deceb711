export const KINDS = [
  { value: 'webhook', label: 'Webhook, signed' },
  { value: 'chat', label: 'Chat' },
  { value: 'email', label: 'E-mail' },
] as const
