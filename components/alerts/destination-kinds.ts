export const KINDS = [
  { value: 'webhook', label: 'Webhook, signed' },
  { value: 'chat', label: 'Chat' },
  { value: 'email', label: 'Email' },
] as const
