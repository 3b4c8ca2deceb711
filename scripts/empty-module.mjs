// Replaces `server-only` in vitest, where there is no client bundle to protect.
export {}
