export const CONNECTION_WORD = {
  live: 'Live · updated just now',
  reconnecting: 'Reconnecting',
  offline: 'Offline',
} as const
