/* SPIN compares sorted sends with the last message, and receives from the middle with the first. */
chan q = [3] of { byte };
active proctype main() { q!!3; q!!1; q!!2; q??2; q?1; q?3 }
trace { q!3; q!1; q!2; q?2; q?1; q?3 }
