#!/usr/bin/env node
// Replaces Prisma's native schema engine when it could not be downloaded. generate, validate and format only need the file to exist; the
// migrate commands need the real engine and print this message.
console.error(
  'Prisma\'s schema engine could not be downloaded on this machine. "npm start" applies migrations without it; "prisma migrate" needs network access.',
)
process.exit(1)
