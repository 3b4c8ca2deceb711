// Replaces `server-only` under vitest, where there is no client bundle to protect.
export {}
